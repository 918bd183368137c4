"""Describing a robot: parts, checks, files, and its states."""
