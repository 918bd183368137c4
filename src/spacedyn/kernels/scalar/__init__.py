"""Numbers that kernels compute with (float64, packs, duals), memory, and how kernels are compiled."""
