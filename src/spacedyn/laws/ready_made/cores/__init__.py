"""Compiled parts of ready-made laws, over flat memory: C functions, compiled once and linked to laws by name."""
