"""Kinematic and dynamic quantities of a robot in a state, or of a batch: one topic a file."""
