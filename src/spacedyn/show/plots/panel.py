"""Curves that share an axis, and other forms of them: in degrees, as a spectrum."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from ...errors import InputError
from .units import as_degrees

Array = np.ndarray
ROUND_OFF = 1e-9
"""Of a quantity's natural size: what is less is shown as the zero that it is."""


@dataclass(frozen=True, eq=False)
class Panel:
    """Curves that share an axis.

    Attributes
    ----------
    title, unit : str
        What they are; 'rad/s²'.
    labels : tuple of str
        One for each curve.
    x : (points,)
        Time [s], or frequency [Hz].
    values : (points, …, curves)
        Over the batch of the run.
    least : float
        Half of the smallest span that the axis should show, so that round-off does not fill it.
    spectrum : bool
        Whether x is a frequency and values are amplitudes.
    ticks : {value: name}
        Of values that stand for something: modes of joints.
    ends : (robots,) or None
        When each robot of a batch ended [s], where that may differ: curves end there.
    """

    title: str
    unit: str
    labels: tuple[str, ...]
    x: Array
    values: Array
    least: float = 0.0
    spectrum: bool = False
    ticks: Mapping[int, str] = field(default_factory=dict)
    ends: Array | None = None


def in_degrees(panel: Panel) -> Panel:
    """The same with angles in degrees."""
    unit = as_degrees(panel.unit)
    if unit == panel.unit:
        return panel
    title = panel.title.replace(f"[{panel.unit}]", f"[{unit}]")
    return replace(panel, title=title, unit=unit, values=np.degrees(panel.values), least=float(np.degrees(panel.least)))


def spectrum_of(panel: Panel) -> Panel:
    """Amplitudes over frequency, by a Hann window: a steady oscillation of amplitude a has a peak of height a."""
    if len(panel.x) < 8:
        raise InputError(f"a spectrum needs at least 8 records, there are {len(panel.x)}; record more often")
    time, values = panel.x, panel.values
    even = np.linspace(time[0], time[-1], len(time))
    if not np.allclose(even, time, rtol=0.0, atol=1e-6 * (time[-1] - time[0]) / len(time)):
        flat = values.reshape(len(time), -1)
        values = np.stack([np.interp(even, time, line) for line in flat.T], axis=-1).reshape(values.shape)
    window = np.hanning(len(time))
    weighted = (values - values.mean(axis=0)) * window.reshape(-1, *[1] * (values.ndim - 1))
    amplitudes = 2.0 * np.abs(np.fft.rfft(weighted, axis=0)) / window.sum()
    frequency = np.fft.rfftfreq(len(time), (time[-1] - time[0]) / (len(time) - 1))
    return replace(
        panel,
        title=f"{panel.title}: spectrum",
        x=frequency[1:],
        values=amplitudes[1:],
        least=0.0,
        spectrum=True,
        ticks={},
        ends=None,
    )
