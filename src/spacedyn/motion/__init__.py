"""Motions given as data: trajectories of joints, paths of attitudes."""
