"""Shapes and surfaces as kernels see them: distances, normals, points that touch."""
