"""Scenarios: simulations as TOML files, and as Python scripts."""

from .reading import scenarios
from .scenario import Scenario

__all__ = ["Scenario", "scenarios"]
