"""Shapes and surfaces: gaps, normals and closest points, over any scalar; knows nothing of robots."""
