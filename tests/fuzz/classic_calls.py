"""Calls of SpaceDyn's own functions, plain as in version 1, and with LP and SV as in version 2."""

import dataclasses
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

import spacedyn as sd
from spacedyn import classic

from .arguments import VALID, Setting
from .entries import REQUIRED, Entry

_PLAIN = {
    "calc_aa": "A0 q",
    "calc_pos": "R0 A0 AA q",
    "calc_vel": "A0 AA v0 w0 q qd",
    "calc_acc": "A0 AA w0 ww vd0 wd0 q qd qdd",
    "f_kin_j": "RR AA q joints",
    "f_kin_e": "RR AA joints",
    "i_kine": "R0 A0 POS ORI q num_e",
    "calc_jt": "RR AA",
    "calc_jr": "AA",
    "calc_jte": "RR AA q joints",
    "calc_jre": "AA joints",
    "calc_je": "RR AA q joints",
    "calc_hh": "R0 RR A0 AA",
    "calc_gh": "R0 RR A0 AA",
    "calc_gj": "R0 RR A0 AA q num_e",
    "r_ne": "R0 RR A0 AA v0 w0 vd0 wd0 q qd qdd Fe Te",
    "i_dyn": "R0 A0 v0 w0 vd0 wd0 q qd qdd Fe Te",
    "f_dyn": "R0 A0 v0 w0 q qd F0 T0 Fe Te tau",
    "int_eu": "R0 A0 v0 w0 vd0 wd0 q qd qdd",
    "f_dyn_rk2": "R0 A0 v0 w0 q qd F0 T0 Fe Te tau",
    "f_dyn_nb": "R0 A0 v0 w0 q qd F0 T0 Fe Te tau",
    "int_sr": "R0 A0 v0 w0 q qd F0 T0 Fe Te tau",
    "f_dyn_tr": "R0 A0 v0 w0 vd0 wd0 q qd qdd F0 T0 Fe Te tau",
}
_ANGLES = ("cx theta", "cy theta", "cz theta", "dc2rpy C", "dc2eul C", "dc2qtn C", "qtn2dc q", "w2dQtn w q", "tilde a")
_ANGLES += ("cross u v", "tr2diff A1 A2", "rpy2dc u", "eul2dc u", "aw w0", "parents SS S0", "topology BB", "init_SV LP")


@cache
def _robot() -> classic.LinkParameters:
    return classic.LinkParameters.from_model(sd.load("two_arm_sample"))


@cache
def _state() -> classic.StateVariables:
    """A state whose links are where its coordinates put them."""
    LP = _robot()
    SV = classic.init_SV(LP)
    rng = np.random.default_rng(3)
    for name in ("R0", "v0", "w0", "vd0", "wd0", "q", "qd", "qdd", "F0", "T0", "tau"):
        setattr(SV, name, rng.normal(size=getattr(SV, name).shape))
    _set_globals()
    SV.AA = classic.calc_aa(SV.A0, SV.q)
    SV.RR = classic.calc_pos(SV.R0, SV.A0, SV.AA, SV.q)
    return SV


def _set_globals() -> None:
    classic.set_globals(_robot(), Gravity=(0.0, 0.0, -9.81), d_time=0.01)


_OTHERS: dict[str, Callable[[], Any]] = {
    "joints": lambda: [1, 2, 3],
    "num_e": lambda: 1,
    "POS": lambda: np.array([1.0, 0.5, 0.2]),
    "ORI": lambda: np.eye(3),
    "LP": _robot,
    "SS": lambda: _robot().SS,
    "S0": lambda: _robot().S0,
    "BB": lambda: _robot().BB,
    "theta": lambda: 0.3,
}
_FIELDS = tuple(field.name for field in dataclasses.fields(classic.StateVariables))
VALID.update({f"classic {name}": lambda c, value=value: value() for name, value in _OTHERS.items()})
VALID.update({f"classic {name}": lambda c, name=name: np.array(getattr(_state(), name)) for name in _FIELDS})


def _by_position(function: Callable[..., Any]) -> Callable[[Setting], Callable[..., Any]]:
    def called(**arguments: Any) -> Any:
        _set_globals()
        return function(*arguments.values())

    return lambda setting: called


def _by_state(function: Callable[..., Any], after: list[str]) -> Callable[[Setting], Callable[..., Any]]:
    """The same with LP and SV, whose fields are the arguments."""

    def called(**arguments: Any) -> Any:
        SV = _state().copy()
        for name, value in arguments.items():
            if name not in after:
                setattr(SV, name, value)
        return function(_robot(), SV, *(arguments[name] for name in after))

    return lambda setting: called


def classic_entries() -> list[Entry]:
    """Every function in each of its styles."""
    found = []
    for name, names in _PLAIN.items():
        function, given = getattr(classic, name), names.split()
        parameters = tuple((one, REQUIRED) for one in given)
        wanted = tuple((one, f"classic {one}") for one in given)
        after = [one for one in given if one in ("joints", "POS", "ORI", "num_e") or (name == "i_kine" and one == "q")]
        found.append(Entry(f"classic.{name}", _by_position(function), parameters, wanted=wanted))
        found.append(Entry(f"classic.{name} of SV", _by_state(function, after), parameters, wanted=wanted))
    for text in _ANGLES:
        name, *given = text.split()
        wanted = tuple((one, f"classic {one}") for one in given if one in _OTHERS)
        parameters = tuple((one, REQUIRED) for one in given)
        found.append(Entry(f"classic.{name}", _by_position(getattr(classic, name)), parameters, wanted=wanted))
    return found
