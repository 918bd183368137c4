"""Build steppers from a description: write the layout's places into the arrays that kernels read."""

from typing import Any

import numpy as np
from numba.core import config

from ...kernels.elements import program as user
from ...kernels.methods.variational import VECTORS
from ...kernels.robot import layout as k
from ...kernels.scalar.pack import LANES
from ...kernels.sim import layout as p
from ...kernels.simulation.guards import guards_address
from ...kernels.simulation.right_hand_side import flow_address, tangent_flow_address
from ...laws.compile import Compiled
from ...laws.law import Law
from ...model.flatten import aligned
from ...model.model import Model, robot_of
from ...model.state import State
from ..events import directions
from ..layout import Layout, end_of, in_order
from ..methods import Method
from .element_records import put_elements, times_passed
from .prepared import Plan, Prepared
from .prescribed_joints import lay_out
from .row_records import put_rows, rank_numbers, row_places, set_row_tangents
from .start import first_clock, first_memory, first_work, groups_of, put_own_step, scratch, tolerances_of
from .stepper import Stepper
from .touch_records import put_sleepers, put_spinners, put_touches, sleep_numbers, touch_memory, touch_places

Array = np.ndarray


def build_stepper(prepared: Prepared, state: State) -> Stepper:
    """Lay a simulation of some robots out."""
    simulation, layout = prepared.simulation, prepared.layout
    model, method, flat = state.model, simulation.method, state.model.flat
    lanes = 1 if state.count == 1 or config.DISABLE_JIT or not method.in_packs else LANES
    plan = Plan()
    over_packs = prepared.pack_code if lanes > 1 else {}
    work = _work_places(plan, layout, prepared, flat.slots, layout.out_size if over_packs else 0)
    _put_method(plan, method, prepared.window)
    tolerances = tolerances_of(layout, state, method, prepared.joints)
    plan.set(N_SCALE=plan.put(tolerances))
    groups = groups_of(layout)
    plan.set(GROUPS=int(groups.max(initial=0)) + 1, N_GROUP=plan.put(groups))
    breaks, motions = _put_joints(plan, prepared)
    jumps = put_elements(plan, prepared, work, lanes, robot_of(model, 0))
    breaks = np.unique(np.concatenate([breaks, jumps]))
    plan.set(BREAKS=len(breaks), N_BREAKS=plan.put(breaks))
    put_rows(plan, prepared, work, lanes, robot_of(model, 0))
    put_touches(plan, prepared)
    put_sleepers(plan, prepared, robot_of(model, 0))
    put_spinners(plan, prepared)
    doubles = _put_laws(plan, prepared, lanes, over_packs)
    tree = _tree(prepared, model, method, work)
    _put_row(plan, layout, work, tree)
    choices = _choices(prepared)
    plan.set(CHOICES=choices, FLOW=flow_address(lanes, flat.robots > 0).address)
    plan.set(MOVING_SIZE=layout.moving_size(prepared.acting or choices & (k.LOADED | p.WEIGHS)))
    if plan.plan[p.GUARDS]:
        plan.set(GUARD_CHECK=guards_address(lanes).address)
    spare = put_own_step(plan, method, end_of(work), layout, lanes)
    counters = np.zeros(end_of(prepared.counters), dtype=np.int64)
    counters[prepared.counters["elements"].start :: 2] = times_passed(prepared)
    par = flat.par if simulation.gravity is None else flat.with_gravity(simulation.gravity)
    stepper = Stepper(
        tree, _own(par), plan.plan, plan.numbers, first_work(plan.plan, tree, state, prepared, end_of(work), lanes),
        first_memory(plan.plan, model, state, prepared.joints, doubles), counters,
        first_clock(method, simulation.start, simulation.end),
        [*prepared.code, *over_packs.values(), *motions, *prepared.programs.values()], state.count, lanes,
        tolerances, spare,
        plan.numbers[plan.plan[p.N_SCALE] + tolerances.size :].copy(), _callees(plan.plan, prepared), model, layout,
    )  # fmt: skip
    stepper.choose_tolerances()
    return stepper


def _work_places(plan: Plan, layout: Layout, prepared: Prepared, first: int, out: int) -> dict[str, slice]:
    """Blocks of `work` that the integration needs, behind the robot's own scratch memory."""
    model, method, elements = layout.model, prepared.simulation.method, layout.elements
    nv, size = model.nv, end_of(layout.y)
    stages, guards = method.tableau.P.shape[0], prepared.guards + len(prepared.conditions)
    room = size + LANES - 1  # vectors are written a pack at a time, so the last write may go beyond
    work = in_order(
        {
            "Y_ORIGIN": 7 + model.nq,
            "Y_NOW": size,
            "Y_STAGE": room,
            "Y_NEW": room,
            "Y_SPARE": size,
            "Y_K": stages * size,
            "Y_TAU": nv,
            "Y_PUSH": nv,
            "Y_OUTSIDE": 6,
            "Y_CARRIED": p.CARRIED if prepared.attached else 0,
            "Y_LEAVING": p.LEAVING if prepared.attached else 0,
            "Y_ADDED": p.BODY_ADDED * len(model.body_names) if prepared.attached else 0,
            "Y_COMMAND": end_of(layout.commands),
            "Y_CHANNEL": end_of(layout.channels),
            "Y_GUARD": end_of(prepared.guard_places),
            "Y_SIDE": guards,
            "Y_GUARD_MEMORY": p.GUARD_NUMBERS * guards,
            "Y_ARMED": 1,
            "Y_PACE": 2 * prepared.asking,
            "sampling": sum(bool(one.samples) for one in elements),
            "Y_MOMENTUM": VECTORS * nv if method.kind == p.VARIATIONAL else 0,
            "Y_RANK": rank_numbers(layout),
            "Y_TOUCHED": 3 * prepared.touches,
            "Y_TOUCH_KEY": prepared.touches if any(one.finds_touches for one in elements) else 0,
            "Y_SLEEP": sleep_numbers(layout),
            "Y_ROW_FELT": layout.rows if prepared.touches else 0,
            "Y_VIEW": layout.view_size,
            "Y_OUT": out,
            "Y_OWN_VIEW": prepared.own_view,
            "program forces": layout.joints if prepared.user_elements else 0,
            "Y_ROBOT": 1,
            "Y_HANDED": p.HANDED_NUMBERS * len(model.body_names) if any(one.sums_forces for one in elements) else 0,
            "kept": sum(one.kept for one in elements),
            **row_places(layout, prepared, len(model.body_names), stages),
            **touch_places(prepared),
        },
        first,
    )
    plan.set(**{name: part.start for name, part in work.items() if name.startswith("Y_")})
    plan.set(
        INTERNAL=end_of(layout.states),
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
        ASKING=prepared.asking,
        ELEMENTS=len(prepared.acting),
        SAMPLED=sum(one.period is not None for one in elements),
    )
    return work


def _put_method(plan: Plan, method: Method, window: int) -> None:
    """The method's coefficients, and room for times to record."""
    tableau = method.tableau
    stages, degree = tableau.P.shape
    plan.set(METHOD=method.kind, MAIN_STAGES=tableau.main, ALL_STAGES=stages, DEGREE=degree)
    plan.set(N_A=plan.put(tableau.A), N_B=plan.put(tableau.b), N_C=plan.put(tableau.c))
    plan.set(N_E5=plan.put(tableau.e5), N_E3=plan.put(tableau.e3), N_P=plan.put(tableau.P))
    plan.set(N_METHOD=plan.put(method.constants()), N_TIMES=plan.put(np.zeros(window)))


def _put_joints(plan: Plan, prepared: Prepared) -> tuple[Array, list[Compiled]]:
    """Records of joints that are or may be held; times that steps must end at, and compiled motions."""
    joints, counter = prepared.joints, prepared.counters["joints"].start
    records, motions, breaks = lay_out(prepared.simulation.model, joints, counter, plan.put, plan.put_integers)
    plan.set(PRESCRIBED=len(joints), PRESCRIBED_AT=plan.put_integers(records))
    return breaks, motions


def _put_laws(plan: Plan, prepared: Prepared, lanes: int, over_packs: dict[int, Compiled]) -> int:
    """Put records of laws and conditions and their places in `memory`; return the number of doubles of `memory`."""
    simulation, layout = prepared.simulation, prepared.layout
    joints, conditions, outputs = len(prepared.joints), len(prepared.conditions), layout.out_size
    programs, laws = prepared.user_elements.values(), len(simulation.laws)
    memory = in_order(
        {
            "M_VIEW": layout.view_size + prepared.own_view,
            "M_OUT": max([outputs, *(end_of(one.out(layout.joints)) for one in programs)]),
            "M_MOTION": 19 if joints else 0,
            **touch_memory(prepared),
            "M_MODE": joints + int(plan.plan[p.MODES]),
            "M_ANCHOR": layout.model.nq if layout.switching else 0,
            "M_CUT": p.CUT_MEMORY,
            "M_CALLED": 1,
            "M_OPEN": p.OPEN_NUMBERS,
            "M_ENDED": lanes * (1 + end_of(layout.row)) if conditions and lanes > 1 else 0,
            "M_HELD": laws * lanes * outputs,
        }
    )
    plan.set(EVENTS=conditions, N_DIRECTION=plan.put(directions(simulation.events)))
    plan.set(LAWS=laws, **{name: part.start for name, part in memory.items()})
    doubles, records = end_of(memory), []
    for i, law in enumerate(prepared.called):
        record = [0] * p.LAW_INTS
        ring = 1 if law.period is None else int(np.ceil(law.delay / law.period - 1e-9)) + 2
        record[p.L_ADDRESS], record[p.L_SAMPLED] = prepared.code[i].address, law.period is not None
        record[p.L_PARAMETERS] = plan.put([law.period or 0.0, law.delay], *law.parameters.values(), [0.0])
        record[p.L_STATE], record[p.L_STATES] = layout.states_of_law(i).start if i < laws else 0, law.state_size
        record[p.L_RING], record[p.L_RING_SIZE] = doubles, ring
        record[p.L_PLACES] = plan.put_integers(layout.places(law, i))
        record[p.L_SEEN] = layout.parts_seen(law)
        record[p.L_PACK] = over_packs[i].address if i in over_packs else 0
        records.append(record)
        doubles += ring * lanes * outputs
    plan.set(LAW_AT=plan.put_integers(*records))
    return doubles


def _put_row(plan: Plan, layout: Layout, work: dict[str, slice], tree: Array) -> None:
    """Put the blocks of `work`, of the vector y and of `memory` that make up a row of the record."""
    row, y = layout.row, layout.y
    first = work["Y_CHANNEL"].start + layout.channels["element_energy"].start
    sources = {
        "x": (int(tree[k.W_X]), 1, p.OF_WORK),
        "u": (int(tree[k.W_U]), 1, p.OF_WORK),
        "law_states": (y["states"].start, 1, p.OF_VECTOR),
        "forces": (work["Y_TAU"].start, 1, p.OF_WORK),
        "base_wrench": (int(tree[k.W_WRENCH]), 1, p.OF_WORK),
        "udot": (int(tree[k.W_RATE]) + k.QDD, k.RATE_WORK, p.OF_WORK),
        "element_energy": (first, 1, p.OF_WORK),
        "carried": (work["Y_CARRIED"].start, 1, p.OF_WORK),
        "closure": (work["Y_CLOSURE"].start, 1, p.OF_WORK),
        "mode": (int(plan.plan[p.M_MODE]), 1, p.OF_MEMORY),
        "anchor": (int(plan.plan[p.M_ANCHOR]), 1, p.OF_MEMORY),
    }
    ends = {  # blocks that are contiguous both here and in the row
        "law_states": row["contact_error"].stop,
        "base_wrench": row["endpoint_wrenches"].stop,
        "element_energy": row["element_wrenches"].stop,
    }
    blocks = []
    for name, (place, stride, source) in sources.items():
        column = row[name].start
        blocks.append([column, ends.get(name, row[name].stop) - column, place, stride, source])
    plan.set(BLOCKS=len(blocks), BLOCK_AT=plan.put_integers(*blocks))


def _tree(prepared: Prepared, model: Model, method: Method, work: dict[str, slice]) -> Array:
    """The robot's tree, with given rates marked, and coordinates and rates at the places where laws see them."""
    given = np.zeros(model.nv, dtype=bool)
    for one in prepared.joints:
        given[model.u_slice(one.joint)] = one.mode != p.MODE_FREE
    tree = model.flat.with_given(given)
    _attach(tree, [int(model.flat.order[model.body_index(body)]) for body in prepared.attached])
    tree[k.OWN_AXES] = method.own_axes and model.base_kind in ("free", "attitude")
    tree[k.W_X] = work["Y_VIEW"].start
    if model.base_kind == "free":  # other bases have fewer rates than laws see
        tree[k.W_U] = tree[k.W_X] + tree[k.COORDINATES]
    return tree


def _attach(tree: Array, bodies: list[int]) -> None:
    """Mark the bodies to which elements attach inertia, and which therefore start from a sum in memory."""
    records = tree[k.BODY_AT] + k.BODY_INTS * np.arange(tree[k.BODIES])
    for body in bodies:
        tree[records[body] + k.FLAGS] |= k.FROM_MEMORY
        tree[records[body] + k.FLAGS] &= ~k.IS_WHEEL  # the attached inertia may unbalance a wheel
        tree[records[1:][tree[records[1:] + k.PARENT] == body] + k.FLAGS] &= ~k.IS_LAST_CHILD


def _callees(plan: Array, prepared: Prepared) -> dict[int, Any]:
    """Users' functions by their number in M_CALLED: laws and conditions from 1 up, motions from -1 down, elements."""
    motions = {-i: one.given for i, one in enumerate(prepared.joints, 1) if isinstance(one.given, Law)}
    order = prepared.order
    first, elements = int(plan[p.ELEMENT_AT]), prepared.simulation.elements
    programs = {user.CALLED + first + order.index(i) * p.ELEMENT_INTS: elements[i] for i in prepared.programs}
    return dict(enumerate(prepared.called, 1)) | motions | programs


def _own(par: Array) -> Array:
    """A copy of the parameters, which actions of events may change; it starts on a cache line."""
    mine = aligned(par.size)
    mine[:] = par.reshape(-1)
    return mine


def _choices(prepared: Prepared) -> int:
    """Bits that tell the driver which parts of its work the simulation needs."""
    laws, programs = prepared.simulation.laws, [one.program for one in prepared.user_elements.values()]
    seen: set[str] = set().union(*(law.sees() for law in [*prepared.called, *programs]))
    writes = set().union(*(law.writes() for law in laws))
    channels = prepared.layout.view["channels"]
    return int(
        (k.LOADED if writes & {"base_wrench", "endpoint_wrenches"} else 0)
        | (p.SEES_MOMENTUM if seen & {"com", "linear_momentum", "angular_momentum"} else 0)
        | (p.SEES_ENDPOINTS if "endpoints" in seen else 0)
        | (p.RECORDS_STEPS if prepared.window == 0 else 0)
        | (p.PUSHES_BODIES if any(one.pushes_bodies for one in prepared.acting) else 0)
        | (p.PUSHES_JOINTS if any(one.pushes_joints for one in prepared.acting) else 0)
        | (p.CARRIES_MASS if prepared.layout.carries else 0)
        | (p.LOSES_MASS if prepared.layout.loses_mass else 0)
        | (p.FEELS_FIELDS if any(one.feels_fields for one in prepared.acting) else 0)
        | (p.GUARDS_FORCES if prepared.asking else 0)
        | (p.SUMS_FORCES if any(one.sums_forces for one in prepared.acting) else 0)
        | (p.SEES_CHANNELS if channels.stop > channels.start else 0)
        | (p.SEES_ROBOT if laws or programs else 0)
        | (p.WEIGHS if prepared.simulation.gravity is not None and np.any(prepared.simulation.gravity) else 0)
    )


def set_tangents(stepper: Stepper, prepared: Prepared) -> None:
    """Provide derivatives of the right-hand side to a stepper whose method needs none, for `linearize`."""
    plan = stepper.plan
    plan[p.TANGENT_FLOW] = tangent_flow_address().address
    set_row_tangents(plan)
    for i, (kind, _, _) in enumerate(prepared.kinds):
        plan[plan[p.KIND_AT] + i * p.KIND_INTS + p.K_TANGENT] = kind.unit("dual").address
    stepper.set_duals(scratch(stepper.work.size * (1 if config.DISABLE_JIT else 1 + LANES)))
