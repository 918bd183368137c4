"""The compiled side of elements: one file for each kind."""
