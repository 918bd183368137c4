"""Algorithms over an abstract scalar, compiled; nothing here knows of Model or State."""
