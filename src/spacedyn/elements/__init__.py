"""What acts on a robot in a simulation: small frozen objects that are described here and computed by kernels."""
