"""Programs in a Python of their own, which can import what tests can."""

import os
import subprocess
import sys


def python(program, *arguments, **options):
    """Start a program; `options` go to Popen."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen([sys.executable, "-c", program, *arguments], env=environment, text=True, **options)
