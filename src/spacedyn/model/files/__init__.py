"""Robots as files and arrays: TOML, URDF, MJCF, SpaceDyn's arrays."""
