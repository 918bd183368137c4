"""Steppers: simulations of up to a pack of robots in flat arrays. No other module knows the places in these arrays."""
