"""What acts on a robot, compiled: one file a kind."""
