"""Kinematic and dynamic quantities of a robot at one state or a batch of states: one file per topic."""
