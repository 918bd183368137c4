"""Figures of a run: curves by name (`curves`), and drawing with matplotlib (`figure`)."""
