"""How to step: Runge-Kutta, Radau, variational; one method a file."""
