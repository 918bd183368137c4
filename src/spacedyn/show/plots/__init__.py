"""Figures of a run: what there is to draw (`curves`), and how it is drawn (`figure`)."""
