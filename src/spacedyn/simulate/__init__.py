"""The machinery of a simulation: its description, its layout, its steps, its events, its failures."""
