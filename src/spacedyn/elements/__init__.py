"""Elements, everything that acts on a robot in a simulation: frozen descriptions, whose mathematics is in kernels."""
