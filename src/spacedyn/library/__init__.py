"""Robots that come along, one .toml file each; its first lines tell source and assumptions. Read by `model.load`."""
