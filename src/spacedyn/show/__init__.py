"""Show robots and runs: plots, films, the live viewer."""
