"""From a description to steppers: the layout's places, written into the arrays that kernels read."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numba.core import config
from numpy.typing import ArrayLike

from ...elements.declared import ACCOUNTS
from ...elements.element import Account, blocks_of
from ...elements.prescribed import Prescribed, read_prescribed
from ...elements.program import UserElement
from ...kernels.elements import program as user
from ...kernels.methods.radau import implicit_address, memory_of
from ...kernels.methods.variational import VECTORS, variational_address
from ...kernels.robot import layout as k
from ...kernels.scalar.compiling import address_of
from ...kernels.scalar.memory import ZEROS
from ...kernels.scalar.pack import LANES
from ...kernels.sim import layout as p
from ...kernels.simulation.guards import guards_address
from ...kernels.simulation.right_hand_side import flow_address, tangent_flow_address
from ...laws.compile import Compiled, compile_law
from ...laws.conditions import Condition
from ...laws.law import Law
from ...model.flatten import aligned
from ...model.model import Model, robot_of
from ...model.state import State
from ...quantities.calls import gravity_vector
from ...quantities.momentum import kinetic_energy, potential_energy
from ..events import Event, read_events
from ..layout import Layout, end_of, in_order
from ..methods import Method
from ..simulation import Simulation
from .prescribed_joints import lay_out
from .stepper import Stepper, in_other_axes

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Prepared:
    """A simulation with all that is compiled for it, from which steppers are built."""

    simulation: Simulation
    window: int  # how many times to record a stepper can hold at once; 0 if every step is recorded

    @cached_property
    def layout(self) -> Layout:
        """Where everything is."""
        return self.simulation.layout

    @cached_property
    def joints(self) -> list[Prescribed]:
        """The joints that are or may be held."""
        o = self.simulation
        return read_prescribed(o.model, o.prescribed, o.modes, o.start, o.end, self.layout.switching)

    @cached_property
    def events(self) -> tuple[list[Event], list[Condition]]:
        """Events and their conditions."""
        return read_events(self.simulation.model, self.simulation.events)

    @cached_property
    def called(self) -> list[Law]:
        """Laws, then conditions."""
        return [*self.simulation.laws, *self.events[1]]

    @cached_property
    def code(self) -> list[Compiled]:
        """C functions of laws and conditions."""
        known = blocks_of(self.simulation.elements)
        return [compile_law(law, known) for law in self.called]

    @cached_property
    def programs(self) -> dict[int, Compiled]:
        """C functions of users' elements, by their numbers."""
        elements = self.simulation.elements
        return {i: one.compiled() for i, one in enumerate(elements) if isinstance(one, UserElement)}

    @cached_property
    def kinds(self) -> list[tuple[Any, bool, list[int]]]:
        """Kinds of elements in use: the kind, whether laws command these, and their numbers."""
        found: dict[tuple[Any, bool], list[int]] = {}
        for i, one in enumerate(self.simulation.elements):
            found.setdefault((one.kernel, bool(one.commands)), []).append(i)
        return [(kind, commanded, numbers) for (kind, commanded), numbers in found.items()]


class _Plan:
    """The integers and numbers that kernels read, as they are written."""

    def __init__(self) -> None:
        self.plan, self.numbers = np.zeros(p.PLAN, dtype=np.int64), np.empty(0)

    def put(self, *parts: ArrayLike) -> int:
        """Write numbers; where they are."""
        at = self.numbers.size
        flat = [np.ravel(np.asarray(part, dtype=float)) for part in parts]
        self.numbers = np.concatenate([self.numbers, *flat])
        return at

    def put_integers(self, *parts: ArrayLike) -> int:
        """Write integers; where they are."""
        at = self.plan.size
        flat = [np.ravel(np.asarray(part, dtype=np.int64)) for part in parts]
        self.plan = np.concatenate([self.plan, *flat])
        return at

    def set(self, **entries: int) -> None:
        """Write entries of the header, by their names."""
        for name, value in entries.items():
            self.plan[getattr(p, name)] = value


def build_stepper(prepared: Prepared, state: State) -> Stepper:
    """Lay a simulation of some robots out."""
    o, layout = prepared.simulation, prepared.layout
    model, method, flat = state.model, o.method, state.model.flat
    lanes = 1 if state.count == 1 or config.DISABLE_JIT or not method.in_packs else LANES
    plan = _Plan()
    work = _work_places(plan, layout, prepared, flat.slots)
    _put_method(plan, method, prepared.window)
    tolerances = _tolerances(layout, state, method)
    plan.set(N_SCALE=plan.put(tolerances))
    counter = p.C_LAWS + 2 * len(o.laws)
    breaks, motions = _put_joints(plan, prepared, counter)
    jumps = _put_elements(plan, prepared, work, counter + len(prepared.joints), lanes, robot_of(model, 0))
    breaks = np.unique(np.concatenate([breaks, jumps]))
    plan.set(BREAKS=len(breaks), N_BREAKS=plan.put(breaks))
    doubles = _put_laws(plan, prepared, lanes)
    _put_row(plan, layout, work, flat)
    varied = flat.robots > 0
    plan.set(CHOICES=_choices(prepared), FLOW=flow_address(lanes, varied).address)
    if work["stops"].stop > work["stops"].start or plan.plan[p.GUARDS]:
        plan.set(STOPPER=guards_address(lanes, varied).address)
    spare = _own_step(plan, method, end_of(work), layout)
    tree = _tree(prepared, model, method, work)
    counters = np.zeros(counter + len(prepared.joints) + len(o.elements), dtype=np.int64)
    par = flat.par if o.gravity is None else flat.with_gravity(gravity_vector(o.gravity))
    stepper = Stepper(
        tree, _own(par), plan.plan, plan.numbers, _start(plan.plan, tree, state, prepared, end_of(work), lanes),
        _memory(plan.plan, model, state, prepared.joints, doubles), counters, _clock(method, o.start, o.end),
        [*prepared.code, *motions, *prepared.programs.values()], state.count, lanes, tolerances, spare,
        plan.numbers[plan.plan[p.N_SCALE] + tolerances.size :].copy(), _callees(plan.plan, prepared), model, layout,
    )  # fmt: skip
    stepper.choose_tolerances()
    return stepper


def _work_places(plan: _Plan, layout: Layout, prepared: Prepared, first: int) -> dict[str, slice]:
    """Places of what the integration keeps in `work`, behind the robot's own scratch memory."""
    model, method, elements = layout.model, prepared.simulation.method, layout.elements
    nv, size = model.nv, end_of(layout.y)
    stages, guards = method.tableau.P.shape[0], sum(one.guards for one in elements)
    room = size + LANES - 1  # of vectors that are written a pack at a time
    programs = [one for one in elements if isinstance(one, UserElement)]
    own_view = max((end_of(one.own_view(0)) for one in programs), default=0)
    work = in_order(
        {
            "stops": 4 * nv if method.adaptive and has_stops(model) else 0,
            "Y_ORIGIN": 7 + model.nq,
            "Y_NOW": size,
            "Y_STAGE": room,
            "Y_NEW": room,
            "Y_SPARE": size,
            "Y_K": stages * size,
            "Y_TAU": nv,
            "Y_PUSH": nv,
            "Y_OUTSIDE": 6,
            "Y_COMMAND": end_of(layout.commands),
            "Y_CHANNEL": end_of(layout.channels),
            "Y_GUARD": guards,
            "Y_SIDE": guards,
            "Y_LEVEL": guards,
            "Y_BEFORE": 2 * guards,
            "Y_MOMENTUM": VECTORS * nv if method.kind == p.VARIATIONAL else 0,
            "Y_VIEW": layout.view_size,
            "Y_OWN_VIEW": own_view,
            "program forces": layout.joints if programs else 0,
        },
        first,
    )
    plan.set(**{name: part.start for name, part in work.items() if name.startswith("Y_")})
    plan.set(
        INTERNAL=end_of(layout.states),
        LEDGER=end_of(layout.ledger),
        SIZE=size,
        VIEW=layout.view_size,
        VIEW_CHANNELS=layout.view["channels"].start,
        OUTPUTS=layout.out_size,
        OUT_COMMANDS=layout.out["commands"].start,
        ROW=end_of(layout.row),
        MODES=layout.row["mode"].stop - layout.row["mode"].start,
        COMMANDS=end_of(layout.commands),
        CHANNELS=end_of(layout.channels),
        GUARDS=guards,
        ELEMENTS=len(elements),
    )
    return work


def _put_method(plan: _Plan, method: Method, window: int) -> None:
    """The method's coefficients, and room for times to record."""
    tableau = method.tableau
    stages, degree = tableau.P.shape
    plan.set(METHOD=method.kind, MAIN_STAGES=tableau.main, ALL_STAGES=stages, DEGREE=degree)
    plan.set(N_A=plan.put(tableau.A), N_B=plan.put(tableau.b), N_C=plan.put(tableau.c))
    plan.set(N_E5=plan.put(tableau.e5), N_E3=plan.put(tableau.e3), N_P=plan.put(tableau.P))
    plan.set(N_METHOD=plan.put(method.constants()), N_TIMES=plan.put(np.zeros(window)))


def _put_joints(plan: _Plan, prepared: Prepared, counter: int) -> tuple[Array, list[Compiled]]:
    """Records of joints that are or may be held; times that steps must end at, and compiled motions."""
    joints = prepared.joints
    records, motions, breaks = lay_out(prepared.simulation.model, joints, counter, plan.put, plan.put_integers)
    plan.set(PRESCRIBED=len(joints), PRESCRIBED_AT=plan.put_integers(records))
    return breaks, motions


def _put_elements(
    plan: _Plan, prepared: Prepared, work: dict[str, slice], counter: int, lanes: int, model: Model
) -> Array:
    """Records of elements on this robot, kind by kind; times that steps must end at."""
    o = prepared.simulation
    form = "one" if lanes == 1 else "varied" if o.model.flat.robots else "pack"
    records: list[list[int]] = []
    kinds: list[list[int]] = []
    guards = np.cumsum([0, *(one.guards for one in o.elements)])
    for kind, commanded, numbers in prepared.kinds:
        tangent = kind.unit("dual").address if o.method.kind == p.IMPLICIT else 0
        kinds.append([kind.unit(form).address, tangent, len(records), len(numbers), commanded])
        records += [_record(plan, prepared, work, i, counter + i, int(guards[i]), model) for i in numbers]
    plan.set(KINDS=len(kinds), KIND_AT=plan.put_integers(*kinds), ELEMENT_AT=plan.put_integers(*records))
    return np.array([t for one in o.elements for t in one.breaks])


def _record(
    plan: _Plan, prepared: Prepared, work: dict[str, slice], i: int, counter: int, guard: int, model: Model
) -> list[int]:
    """The record of an element."""
    layout = prepared.layout
    element, channels = layout.elements[i], work["Y_CHANNEL"].start
    wrench = channels + layout.channels["element_wrenches"].start
    pushed = [wrench + 6 * j for j, (whose, _) in enumerate(layout.wrenched) if whose == i]
    record = [0] * p.ELEMENT_INTS
    record[p.E_NUMBERS] = plan.put(element.numbers(model).numbers)
    record[p.E_STATE] = layout.law_states + sum(one.starts().size for one in layout.elements[:i])
    commands = [f"{layout.names[i]}.{block.name}" for block in element.commands]
    record[p.E_COMMAND] = work["Y_COMMAND"].start + (layout.commands[commands[0]].start if commands else 0)
    record[p.E_CHANNELS] = plan.put_integers([channels + layout.channel(i, one).start for one in element.channels])
    record[p.E_WORK] = layout.in_y("force_work").start + i
    record[p.E_LOST] = layout.in_y("force_dissipated").start + i
    record[p.E_STORED] = channels + layout.channels["force_energy"].start + i
    record[p.E_GUARD], record[p.E_ACTS] = guard, counter
    record[p.E_WRENCHES] = plan.put_integers(pushed)
    record[p.E_SPAN] = -1 if element.span is None else plan.put(element.span)
    if isinstance(element, UserElement):
        record[p.E_OWN] = _put_program(plan, prepared, work, i, record, pushed, model)
    else:
        record[p.E_OWN] = plan.put_integers(element.numbers(model).integers)
    return record


def _put_program(
    plan: _Plan, prepared: Prepared, work: dict[str, slice], i: int, record: list[int], pushed: list[int], model: Model
) -> int:
    """The integers of a user's element: what it is called with, and where each number goes that it writes."""
    layout = prepared.layout
    element: Any = layout.elements[i]
    out, channels = element.out(layout.joints), work["Y_CHANNEL"].start
    table = np.zeros((end_of(out), 2), dtype=np.int64)

    def goes(name: str, first: int, behind_k: bool = False) -> None:
        part = out[name]
        table[part, 0], table[part, 1] = first + np.arange(part.stop - part.start), behind_k

    goes("tau", work["program forces"].start)
    for point, place in zip(element.declared.points, pushed, strict=True):
        goes(f"{point}.force", place)
        goes(f"{point}.moment", place + 3)
    at = layout.y["states"].start + record[p.E_STATE]
    for block in element.states:
        goes(block.name, at, True)
        at += block.size
    for block in element.channels:
        goes(block.name, channels + layout.channel(i, block).start)
    for account, entry in ((Account.WORK, p.E_WORK), (Account.DISSIPATED, p.E_LOST)):
        goes(account.value, record[entry], True)
    goes(Account.STORED.value, record[p.E_STORED])
    goes("guard", work["Y_GUARD"].start + record[p.E_GUARD])
    assert set(ACCOUNTS) == {account.value for account in Account}
    sizes = [sum(block.size for block in some) for some in (element.states, element.commands)]
    points: list[int] = []
    for (body, _), place in zip(element.wrenches(model), pushed, strict=True):
        points += [int(model.flat.order[model.body_index(body)]), place]
    integers = [0] * user.FIRST_POINT
    integers[user.ADDRESS] = prepared.programs[i].address
    integers[user.PLACES] = plan.put_integers(element.places(model, layout.view, layout.view_size))
    integers[user.STATES], integers[user.COMMANDED], integers[user.SIDES] = *sizes, element.guards
    integers[user.WRITTEN], integers[user.TABLE] = len(table), plan.put_integers(table)
    integers[user.RECKONED] = not element.declared.accounts
    integers[user.RATES_], integers[user.FORCES] = layout.joints, work["program forces"].start
    integers[user.POINTS] = len(element.declared.points)
    return plan.put_integers(integers, points)


def _put_laws(plan: _Plan, prepared: Prepared, lanes: int) -> int:
    """Records of laws and conditions, and places in `memory`; how many doubles that has."""
    o, layout = prepared.simulation, prepared.layout
    joints, conditions, outputs = len(prepared.joints), len(prepared.events[1]), layout.out_size
    programs = [one for one in layout.elements if isinstance(one, UserElement)]
    memory = in_order(
        {
            "M_VIEW": layout.view_size + max((end_of(one.own_view(0)) for one in programs), default=0),
            "M_OUT": max([outputs, *(end_of(one.out(layout.joints)) for one in programs)]),
            "M_MOTION": 19 if joints else 0,
            "M_EVENTS": p.EVENT_MEMORY * conditions,
            "M_MODE": joints + int(plan.plan[p.MODES]),
            "M_ANCHOR": o.model.nq if layout.switching else 0,
            "M_STOPS": p.STOP_MEMORY,
            "M_CALLED": 1,
            "M_HELD": len(o.laws) * lanes * outputs,
        }
    )
    plan.set(EVENTS=conditions, LAWS=len(o.laws), **{name: part.start for name, part in memory.items()})
    doubles, records, state = end_of(memory), [], 0
    for i, law in enumerate(prepared.called):
        record = [0] * p.LAW_INTS
        ring = 1 if law.period is None else int(np.ceil(law.delay / law.period - 1e-9)) + 2
        record[p.L_ADDRESS], record[p.L_SAMPLED] = prepared.code[i].address, law.period is not None
        record[p.L_PARAMETERS] = plan.put([law.period or 0.0, law.delay], *law.parameters.values(), [0.0])
        record[p.L_STATE], record[p.L_STATES] = state, law.state_size
        record[p.L_RING], record[p.L_RING_SIZE] = doubles, ring
        record[p.L_PLACES] = plan.put_integers(layout.places(law, i))
        records.append(record)
        doubles += ring * lanes * outputs
        state += law.state_size
    plan.set(LAW_AT=plan.put_integers(*records))
    return doubles


def _put_row(plan: _Plan, layout: Layout, work: dict[str, slice], flat: Any) -> None:
    """What a row of the record is made of: blocks of `work`, of the vector y, of memory."""
    tree, row, y = flat.tree, layout.row, layout.y
    first = work["Y_CHANNEL"].start + layout.channels["force_energy"].start
    sources = {
        "x": (int(tree[k.W_X]), 1, p.OF_WORK),
        "u": (int(tree[k.W_U]), 1, p.OF_WORK),
        "states": (y["states"].start, 1, p.OF_VECTOR),
        "forces": (work["Y_TAU"].start, 1, p.OF_WORK),
        "base_wrench": (int(tree[k.W_WRENCH]), 1, p.OF_WORK),
        "udot": (int(tree[k.W_RATE]) + k.QDD, k.RATE_WORK, p.OF_WORK),
        "force_energy": (first, 1, p.OF_WORK),
        "mode": (int(plan.plan[p.M_MODE]), 1, p.OF_MEMORY),
        "anchor": (int(plan.plan[p.M_ANCHOR]), 1, p.OF_MEMORY),
    }
    ends = {  # blocks that follow each other in both places
        "states": row["event_work"].stop,
        "base_wrench": row["endpoint_wrenches"].stop,
        "force_energy": row["element_wrenches"].stop,
    }
    blocks = []
    for name, (place, stride, source) in sources.items():
        column = row[name].start
        blocks.append([column, ends.get(name, row[name].stop) - column, place, stride, source])
    plan.set(BLOCKS=len(blocks), BLOCK_AT=plan.put_integers(*blocks))


def _tree(prepared: Prepared, model: Model, method: Method, work: dict[str, slice]) -> Array:
    """The robot's description, with which rates are given and where phases of end stops are."""
    given = np.zeros(model.nv, dtype=bool)
    for one in prepared.joints:
        given[model.u_slice(one.joint)] = one.mode != p.MODE_FREE
    tree = model.flat.with_given(given)
    tree[k.OWN_AXES] = method.own_axes and model.base_kind in ("free", "attitude")
    if work["stops"].stop > work["stops"].start:
        tree[k.W_STOP] = work["stops"].start
    return tree


def _callees(plan: Array, prepared: Prepared) -> dict[int, Any]:
    """Laws and conditions, from 1 on, motions, from -1 down, and users' elements, by what memory has meanwhile."""
    motions = {-i: one.given for i, one in enumerate(prepared.joints, 1) if isinstance(one.given, Law)}
    order = [i for _, _, numbers in prepared.kinds for i in numbers]
    first, elements = int(plan[p.ELEMENT_AT]), prepared.simulation.elements
    programs = {user.CALLED + first + order.index(i) * p.ELEMENT_INTS: elements[i] for i in prepared.programs}
    return dict(enumerate(prepared.called, 1)) | motions | programs


def _own(par: Array) -> Array:
    """A copy of the parameters, for actions of events to change; packs of them begin on a cache line."""
    mine = aligned(par.size)
    mine[:] = par.reshape(-1)
    return mine


def _choices(prepared: Prepared) -> int:
    """What the driver has to do at all, bit by bit."""
    o, elements = prepared.simulation, prepared.simulation.elements
    programs = [one.program for one in elements if isinstance(one, UserElement)]
    seen: set[str] = set().union(*(law.sees() for law in [*prepared.called, *programs]))
    writes = set().union(*(law.writes() for law in o.laws))
    channels = prepared.layout.view["channels"]
    return int(
        (k.PASSIVE_FORCES if o.model.flat.passive else 0)
        | (k.LOADED if writes & {"base_wrench", "endpoint_wrenches"} else 0)
        | (p.SEES_MOMENTUM if seen & {"com", "linear_momentum", "angular_momentum"} else 0)
        | (p.SEES_ENDPOINTS if "endpoints" in seen else 0)
        | (p.RECORDS_STEPS if prepared.window == 0 else 0)
        | (p.PUSHES_BODIES if any(one.pushes_bodies for one in elements) else 0)
        | (p.PUSHES_JOINTS if any(one.pushes_joints for one in elements) else 0)
        | (p.SEES_CHANNELS if channels.stop > channels.start else 0)
        | (p.SEES_ROBOT if o.laws or programs else 0)
    )


def _clock(method: Method, t0: float, t1: float) -> Array:
    """Times and step sizes at the start."""
    clock = np.zeros(p.CLOCK)
    clock[[p.T, p.T_START, p.T_END]] = t0, t0, t1
    clock[p.ERROR_BEFORE], clock[p.ORDER] = 1e-4, max(method.error_order, 1)
    clock[p.H], clock[p.H_MAX] = _steps(method, t1 - t0)
    return clock


def _memory(plan: Array, model: Model, state: State, prescribed: list[Prescribed], doubles: int) -> Array:
    """What the driver keeps from step to step; at the start, the joints' modes and where they are held."""
    kept = np.zeros(doubles)
    for i, one in enumerate(prescribed):
        kept[plan[p.M_MODE] + i] = one.mode
        if plan[p.MODES] and one.mode != p.MODE_FREE:
            q = model.q_slice(one.joint)
            anchor = state.q.reshape(model.nq)[q] if one.mode == p.MODE_LOCKED else one.no_shift
            kept[plan[p.M_ANCHOR] + q.start : plan[p.M_ANCHOR] + q.stop] = anchor
    return kept


def has_stops(model: Model) -> bool:
    """Whether any joint has an end stop with a spring or a damper."""
    return any(np.any(joint.stop_stiffness > 0.0) or np.any(joint.stop_damping > 0.0) for joint in model.joints)


def _start(plan: Array, tree: Array, state: State, prepared: Prepared, scalars: int, lanes: int) -> Array:
    """Memory of the integration, with the robots' states and the internal ones; lanes to spare repeat one."""
    model, internal = state.model, int(plan[p.INTERNAL])
    nx, nv, origin, now = 7 + model.nq, model.nv, int(plan[p.Y_ORIGIN]), int(plan[p.Y_NOW])
    work = aligned(scalars * lanes).reshape(scalars, lanes)
    work[:] = 0.0
    rows = state._data.reshape(state.count, -1)[np.minimum(np.arange(lanes), state.count - 1)]
    work[origin : origin + nx] = rows[:, :nx].T
    work[now + nv : now + 2 * nv] = in_other_axes(tree, rows[:, 3:7].T, rows[:, nx:].T, -1.0)
    o, first = prepared.simulation, now + 2 * nv
    starts = [*(law.initial_states() for law in o.laws), *(one.starts() for one in o.elements)]
    work[first : first + internal] = np.concatenate([np.empty(0), *starts])[:, None]
    for name, part in prepared.layout.states.items():
        if name in state.internal:
            given = state.internal[name].reshape(state.count, -1)[np.minimum(np.arange(lanes), state.count - 1)]
            work[first + part.start : first + part.stop] = given.T
    return work.reshape(-1)


def _own_step(plan: _Plan, method: Method, scalars: int, layout: Layout) -> Array:
    """Scratch memory, and in the plan the addresses, of a method that is more than a tableau."""
    duals = 0
    if method.kind == p.IMPLICIT:
        duals = scalars if config.DISABLE_JIT else scalars * (1 + LANES)
        plan.set(STEPPER=implicit_address().address, TANGENT_FLOW=tangent_flow_address().address)
    elif method.kind == p.VARIATIONAL:
        plan.set(STEPPER=variational_address().address)
    counted = layout.y["states"].stop
    spare = scratch(duals + memory_of(counted, end_of(layout.y)) if duals else 1)
    plan.set(SPARE=address_of(spare), S_MATRIX=duals)
    return spare


def scratch(numbers: int) -> Array:
    """Memory for duals and numbers, all zero; with the JIT switched off, duals are Python's objects."""
    if config.DISABLE_JIT:
        return np.array([ZEROS[bool]] * numbers, dtype=object)
    memory = aligned(numbers)
    memory[:] = 0.0  # what laws do not look at is never written, and has no tangents
    return memory


def set_tangents(stepper: Stepper, prepared: Prepared) -> None:
    """Let a stepper whose method needs none have derivatives of its right-hand side."""
    plan = stepper.plan
    plan[p.TANGENT_FLOW] = tangent_flow_address().address
    for i, (kind, _, _) in enumerate(prepared.kinds):
        plan[plan[p.KIND_AT] + i * p.KIND_INTS + p.K_TANGENT] = kind.unit("dual").address
    stepper.set_duals(scratch(stepper.work.size * (1 if config.DISABLE_JIT else 1 + LANES)))


def _steps(method: Any, duration: float) -> tuple[float, float]:
    """First and largest step; where it ends makes no difference to a run but for its last step."""
    if not method.adaptive:
        return method.step, method.step
    return min(method.first_step or 1e-3, method.max_step, duration), method.max_step


def _tolerances(layout: Layout, state: State, method: Any) -> Array:
    """Absolute and relative tolerance of each number of y, zero where none is kept; negative for a fixed step."""
    if not method.adaptive:
        return np.full((1, 2), -1.0)
    model, counted = state.model, layout.y["states"].stop
    scale = np.zeros((end_of(layout.y), 2))
    scale[:counted] = method.atol, method.rtol
    # positions are measured from the step's start, where they are zero: relative to one radian or metre
    scale[: model.nv] = method.atol + method.rtol, 0.0
    if model.flat.passive:
        # what joints dissipate may bend where no force does, so that only this shows: when a spent end stop is left
        energy = np.mean(kinetic_energy(model, state) + potential_energy(model, state))
        scale[layout.in_y("dissipated")] = method.atol + method.rtol * energy, method.rtol
    return scale
