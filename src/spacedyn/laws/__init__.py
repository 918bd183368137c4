"""Control laws: ordinary Python functions that are compiled into the simulation."""
