"""Steppers: simulations of up to a pack of robots in arrays. Nobody else knows where in them anything is."""
