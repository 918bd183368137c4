"""Bundled robots, one .toml file each; the first lines give source and assumptions. Read by `model.files.load`."""
