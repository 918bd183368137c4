"""How figures look: on a screen, and in print."""

from typing import Any

CURVES = ("#4477AA", "#EE6677", "#228833", "#CCBB44", "#66CCEE", "#AA3377", "#7f7f7f")
"""Distinct for the colour-blind, and in grey (after P. Tol's bright scheme)."""
AXES = {"x": "#D1495B", "y": "#2E8B57", "z": "#3066BE"}
"""x, y, z have the same colours in every figure and film."""
DASHES = ("-", (0, (5, 2)), (0, (1, 1.2)), (0, (6, 2, 1.2, 2)))
"""Line styles: the next one when all colours are used, and another for each further run."""

_COMMON: dict[str, Any] = {
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.formatter.use_mathtext": True,
    "axes.formatter.limits": (-3, 4),
    "axes.formatter.useoffset": True,
    "legend.frameon": False,
    "pdf.fonttype": 42,  # text stays text
    "ps.fonttype": 42,
    "svg.fonttype": "none",
}
STYLES: dict[str, dict[str, Any]] = {
    "screen": _COMMON
    | {
        "figure.facecolor": "white",
        "font.family": "sans-serif",
        "font.size": 10.0,
        "axes.titlesize": 10.0,
        "axes.titleweight": "bold",
        "axes.titlelocation": "left",
        "axes.titlepad": 8.0,
        "axes.labelsize": 9.5,
        "axes.labelcolor": "#444444",
        "axes.edgecolor": "#999999",
        "axes.grid": True,
        "grid.color": "#e6e6e6",
        "grid.linewidth": 0.8,
        "lines.linewidth": 1.7,
        "xtick.color": "#555555",
        "ytick.color": "#555555",
        "xtick.labelsize": 9.0,
        "ytick.labelsize": 9.0,
        "legend.fontsize": 9.0,
        "savefig.dpi": 160,
        "figure.dpi": 110,
    },
    "publication": _COMMON
    | {
        "figure.facecolor": "white",
        "font.family": "serif",
        "font.serif": ["STIX Two Text", "STIXGeneral", "Times New Roman", "DejaVu Serif"],
        "mathtext.fontset": "stix",
        "font.size": 8.0,
        "axes.titlesize": 8.0,
        "axes.labelsize": 8.0,
        "axes.linewidth": 0.6,
        "axes.grid": False,
        "lines.linewidth": 1.0,
        "xtick.direction": "in",
        "ytick.direction": "in",
        "xtick.major.width": 0.6,
        "ytick.major.width": 0.6,
        "xtick.labelsize": 7.5,
        "ytick.labelsize": 7.5,
        "legend.fontsize": 7.0,
        "legend.handlelength": 1.6,
        "savefig.dpi": 600,
        "figure.dpi": 150,
    },
}
"""matplotlib's settings of each style."""

WIDTHS = {"screen": 9.6, "publication": 3.5, "single": 3.5, "double": 7.16}
"""Width of a figure [inch]; single and double are a journal's columns."""
HEIGHTS = {"screen": 2.35, "publication": 1.55}
"""Height of a panel [inch]."""
