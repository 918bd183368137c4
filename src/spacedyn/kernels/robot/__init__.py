"""The robot alone: kinematics and dynamics of a tree of bodies, one algorithm a file."""
