"""Where the Sun and the Moon are; tables of air; extras that are not installed."""

import sys

import numpy as np
import pytest

import spacedyn as sd
from spacedyn.orbit.air import named_table, spline_pieces

EPOCH = "2026-03-01T00:00:00"


def test_astropy_gives_the_digits_that_it_gave_elsewhere():
    """astropy 8 without a network, 2026-03-01: to the digits that were noted."""
    sun = sd.orbit.position_of("sun", EPOCH, source="astropy") / sd.orbit.AU
    np.testing.assert_allclose(sun, [0.931229, -0.310231, -0.134483], atol=5.1e-7)
    moon = sd.orbit.position_of("moon", EPOCH, source="astropy") / 1e3
    np.testing.assert_allclose(moon, [-234236.0, 260941.0, 131892.0], atol=0.51)


@pytest.mark.parametrize(("body", "minutes", "share"), [("sun", 0.5, 1e-4), ("moon", 4.0, 1.5e-3)])
def test_series_are_as_near_as_they_say(body, minutes, share):
    """Over a year, against astropy: angles in minutes of arc, distances."""
    times = np.arange(0.0, 365.0, 2.3) * 86400.0
    near = sd.orbit.position_of(body, "2024-01-01T00:00:00", times)
    true = sd.orbit.position_of(body, "2024-01-01T00:00:00", times, source="astropy")
    a, b = np.linalg.norm(near, axis=-1), np.linalg.norm(true, axis=-1)
    angle = np.arcsin(np.linalg.norm(np.cross(near, true), axis=-1) / (a * b))
    assert np.degrees(angle).max() * 60.0 < minutes
    assert np.abs(a / b - 1.0).max() < share


def test_msis_gives_the_digits_that_it_gave_elsewhere():
    """pymsis 0.13, NRLMSIS 2.1 without a network: 2026-03-01, over (0, 0), 400 km, f107 = f107a = 150, ap = 4."""
    air = sd.orbit.msis_table(EPOCH, [390e3, 400e3])
    assert air.low[1] == pytest.approx(2.7581170854162895e-12, rel=1e-6)


@pytest.mark.parametrize("name", ["exponential", "harris_priester"])
def test_air_between_the_lines_of_its_table(name):
    """The spline goes through the table and stays near the exponential between neighbours."""
    table = named_table(name)
    pieces = spline_pieces(table)

    def log(h, first):
        piece = pieces[np.searchsorted(pieces[1:, 0], h, side="right")]
        x = h - piece[0]
        return np.polyval(piece[first : first + 4][::-1], x)

    for first, density in ((1, table.low), (5, table.high)):
        for h, rho in zip(table.altitudes, density, strict=True):
            assert log(h, first) == pytest.approx(np.log(rho), abs=1e-12)
        above = np.flatnonzero(table.altitudes >= 150e3)[:-1]
        for i in above:
            middle = 0.5 * (table.altitudes[i] + table.altitudes[i + 1])
            assert log(middle, first) == pytest.approx(0.5 * np.log(density[i] * density[i + 1]), abs=0.12)
        assert log(1500e3, first) < log(1000e3, first) < log(50e3, first)


@pytest.mark.parametrize(
    ("missing", "call"),
    [
        ("astropy", lambda: sd.orbit.position_of("sun", EPOCH, source="astropy")),
        ("pymsis", lambda: sd.orbit.msis_table(EPOCH, [390e3, 400e3])),
    ],
)
def test_an_extra_that_is_missing_is_named(monkeypatch, missing, call):
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(sd.InputError, match=rf"{missing}: pip install 'spacedyn\[orbit\]'"):
        call()


def test_wrong_names_and_dates():
    with pytest.raises(sd.UnknownName, match="sun, moon"):
        sd.orbit.position_of("mond", EPOCH)
    with pytest.raises(sd.UnknownName, match="series, astropy"):
        sd.orbit.position_of("sun", EPOCH, source="spice")
    with pytest.raises(sd.InputError, match="2026-03-01"):
        sd.orbit.position_of("sun", "tomorrow")
    with pytest.raises(sd.UnknownName, match="venus"):
        sd.orbit.position_of("vulcan", EPOCH, source="astropy")
    with pytest.raises(sd.InputError, match="rising"):
        sd.orbit.msis_table(EPOCH, [400e3, 390e3])
