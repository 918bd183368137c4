"""How robots and runs look: plots, films, the live viewer."""
