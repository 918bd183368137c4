"""The equations of motion in other formulations: spatial operators, Kane's method, Lagrange on Lie groups."""
