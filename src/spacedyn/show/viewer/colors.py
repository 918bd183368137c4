"""Colours of robots and of what is drawn around them: red, green, blue from 0 to 1."""

BUS = (0.80, 0.63, 0.33)  # gold foil
BUS_PLATE = (0.70, 0.54, 0.27)
LINKS = ((0.86, 0.88, 0.91), (0.74, 0.78, 0.84))  # white paint, every other link a shade darker
DARK = (0.20, 0.23, 0.29)  # joints
ACCENT = (0.93, 0.47, 0.20)
HAND = (0.93, 0.47, 0.20)
PANEL = (0.09, 0.16, 0.42)
PANEL_FRAME = (0.75, 0.77, 0.80)
FORCE = (0.98, 0.75, 0.20)
FORCE_MOMENT = (0.98, 0.55, 0.15)
REACTION = (0.95, 0.38, 0.60)
REACTION_MOMENT = (0.78, 0.30, 0.85)
LINEAR_MOMENTUM = (0.25, 0.80, 0.95)
ANGULAR_MOMENTUM = (0.72, 0.52, 0.98)
TETHER = (0.85, 0.85, 0.70)
RUNS = ((0.30, 0.75, 0.95), (0.95, 0.45, 0.55), (0.45, 0.85, 0.50), (0.98, 0.75, 0.30), (0.75, 0.55, 0.95))
"""Of further runs: their ghosts, trails and names."""
