"""A simulation as kernels see it: where everything is, and how the right-hand side is called."""
