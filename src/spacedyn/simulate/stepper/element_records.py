"""Elements as the kernels read them: records kind by kind, and the target of each number a user's element writes."""

import numpy as np

from ...elements.declared import ACCOUNTS
from ...elements.element import Account, Element, linked_to
from ...kernels.elements import program as user
from ...kernels.sim import layout as p
from ...model.model import Model
from ..layout import Layout, end_of
from .prepared import Plan, Prepared

Array = np.ndarray


def put_elements(plan: Plan, prepared: Prepared, work: dict[str, slice], lanes: int, model: Model) -> Array:
    """Records of elements on this robot, kind by kind; times that steps must end at."""
    simulation, counter = prepared.simulation, prepared.counters["elements"].start
    form = "one" if lanes == 1 else "varied" if simulation.model.flat.robots else "pack"
    kinds: list[list[int]] = []
    order = prepared.order
    for kind, phase, numbers in prepared.kinds:
        tangent = kind.unit("dual").address if simulation.method.kind == p.IMPLICIT else 0
        first = order.index(numbers[0]) if numbers else 0
        kinds.append([kind.unit(form).address, tangent, phase, first, len(numbers)])
    records = [_record(plan, prepared, work, i, counter + 2 * i, model) for i in order]
    links = [linked_to(prepared.acting[i], simulation.elements) for i in order]
    for record, others in zip(records, links, strict=True):  # for now relative to the first record
        record[p.E_LINKS] = plan.put_integers([order.index(other) * p.ELEMENT_INTS for other in others])
    first = plan.put_integers(*records)
    for record, others in zip(records, links, strict=True):
        plan.plan[record[p.E_LINKS] : record[p.E_LINKS] + len(others)] += first
    plan.set(KINDS=len(kinds), KIND_AT=plan.put_integers(*kinds), ELEMENT_AT=first)
    _put_attached(plan, prepared, model)
    for i, one in enumerate(prepared.layout.elements):
        if one.carries_frame:
            plan.set(ORIGIN=prepared.layout.states_of_element(i).start + 1)
    return np.array([t for one in prepared.acting for t in one.breaks])


def _put_attached(plan: Plan, prepared: Prepared, model: Model) -> None:
    """Put the bodies that elements attach inertia to, and the ledger's place of the mass that leaves."""
    bodies = [int(model.flat.order[model.body_index(body)]) for body in prepared.attached]
    plan.set(ATTACHED=len(bodies), ATTACHED_AT=plan.put_integers(bodies), LEFT=prepared.layout.ledger["left"].start)


def _record(plan: Plan, prepared: Prepared, work: dict[str, slice], i: int, counter: int, model: Model) -> list[int]:
    """The record of an element."""
    layout, guard = prepared.layout, prepared.guard_places[str(i)].start
    if i >= len(layout.elements):
        first = sum(one.touches for one in prepared.acting[:i])
        return _own_record(plan, prepared.acting[i], layout, (guard, first, counter), model)
    element, channels = layout.elements[i], work["Y_CHANNEL"].start
    wrench, mine = channels + layout.channels["element_wrenches"].start, layout.wrenches(i)
    pushed = list(range(wrench + mine.start, wrench + mine.stop, 6))
    record = [0] * p.ELEMENT_INTS
    record[p.E_NUMBERS] = plan.put(element.numbers(model).numbers)
    record[p.E_STATE] = layout.states_of_element(i).start
    commands = [f"{layout.names[i]}.{block.name}" for block in element.commands]
    record[p.E_COMMAND] = work["Y_COMMAND"].start + (layout.commands[commands[0]].start if commands else 0)
    firsts = [(channels + layout.channel(i, one).start, one.size) for one in element.channels]
    record[p.E_CHANNELS] = plan.put_integers([first + j for first, size in firsts for j in range(size)])
    record[p.E_WORK] = layout.in_y("element_work").start + i
    record[p.E_LOST] = layout.in_y("element_dissipated").start + i
    record[p.E_STORED] = channels + layout.channels["element_energy"].start + i
    record[p.E_GUARD], record[p.E_ACTS], record[p.E_TAKEN] = guard, counter, counter + 1
    record[p.E_GUARDS], record[p.E_SAMPLES] = element.guards, sum(block.size for block in element.samples)
    record[p.E_PERIOD] = -1 if element.period is None else plan.put([element.period])
    if element.samples:
        record[p.E_SAMPLING] = work["sampling"].start + sum(bool(one.samples) for one in layout.elements[:i])
    record[p.E_KEPT] = work["kept"].start + sum(one.kept for one in layout.elements[:i])
    record[p.E_ROWS] = prepared.first_rows[i]
    record[p.E_TOUCHES] = sum(one.touches for one in layout.elements[:i])
    record[p.E_WRENCHES] = plan.put_integers(pushed)
    times = _times(element)
    record[p.E_SPAN] = plan.put(times, [np.inf]) if times else -1
    if i in prepared.user_elements:
        record[p.E_OWN] = _put_program(plan, prepared, work, i, record, pushed, model)
    else:
        record[p.E_OWN] = plan.put_integers(element.numbers(model).integers)
    return record


def _own_record(plan: Plan, element: Element, layout: Layout, places: tuple[int, int, int], model: Model) -> list[int]:
    """The record of the model's own joint forces (springs, dampers, stops), which have their own ledger entry."""
    record, (guard, first, counter) = [0] * p.ELEMENT_INTS, places
    record[p.E_TOUCHES] = first
    record[p.E_OWN] = plan.put_integers(element.numbers(model).integers)
    record[p.E_LOST] = layout.in_y("dissipated").start
    record[p.E_GUARD], record[p.E_GUARDS] = guard, element.guards
    record[p.E_ACTS], record[p.E_TAKEN] = counter, counter + 1
    record[p.E_SPAN], record[p.E_PERIOD] = -1, -1
    return record


def _times(element: Element) -> tuple[float, ...]:
    """Times at which an element jumps; of a span both ends, which may be infinite."""
    return element.breaks if element.span is None else element.span


def times_passed(prepared: Prepared) -> list[int]:
    """Number of its times that each element has passed at the start."""
    return [sum(t <= prepared.simulation.start for t in _times(one)) for one in prepared.acting]


def _put_program(
    plan: Plan, prepared: Prepared, work: dict[str, slice], i: int, record: list[int], pushed: list[int], model: Model
) -> int:
    """Put the integers of a user's element: the arguments of its function, and the target of each number it writes."""
    layout, element = prepared.layout, prepared.user_elements[i]
    out, channels = element.out(layout.joints), work["Y_CHANNEL"].start
    table = np.zeros((end_of(out), 2), dtype=np.int64)

    def goes(name: str, first: int, behind: int = user.IN_WORK) -> None:
        part = out[name]
        table[part, 0], table[part, 1] = first + np.arange(part.stop - part.start), behind

    goes("tau", work["program forces"].start)
    for point, place in zip(element.declared.points, pushed, strict=True):
        goes(f"{point}.force", place)
        goes(f"{point}.moment", place + 3)
    at = layout.y["states"].start + record[p.E_STATE]
    for block in (*element.states, *element.samples):
        goes(block.name, at, user.BEHIND_Y if block in element.samples else user.BEHIND_K)
        at += block.size
    for block in element.declared.channels:
        goes(block.name, channels + layout.channel(i, block).start)
    for name, places in element.row_places().items():
        table[out[name], 0], table[out[name], 1] = record[p.E_KEPT] + places, user.IN_WORK
    for account, entry in ((Account.WORK, p.E_WORK), (Account.DISSIPATED, p.E_LOST)):
        goes(account.value, record[entry], user.BEHIND_K)
    goes(Account.STORED.value, record[p.E_STORED])
    goes("guard", work["Y_GUARD"].start + record[p.E_GUARD])
    assert set(ACCOUNTS) == {account.value for account in Account}
    sizes = [sum(block.size for block in some) for some in (element.internal_blocks, element.commands)]
    points: list[int] = []
    for one, place in zip(element.wrenches(model), pushed, strict=True):
        points += [int(model.flat.order[model.body_index(one.body)]), place]
    integers = [0] * user.FIRST_POINT
    integers[user.ADDRESS] = prepared.programs[i].address
    integers[user.PLACES] = plan.put_integers(element.places(model, layout.view, layout.view_size))
    integers[user.STATES], integers[user.COMMANDED], integers[user.SIDES] = *sizes, element.guards
    integers[user.WRITTEN], integers[user.TABLE] = len(table), plan.put_integers(table)
    integers[user.RECKONED] = not element.declared.accounts
    integers[user.RATES_], integers[user.FORCES] = layout.joints, work["program forces"].start
    integers[user.POINTS] = len(element.declared.points)
    rows = element.rows_of(model)
    integers[user.ROWS_], integers[user.JOINTS_] = len(rows), len(rows[0].rates) if rows else 0
    behind = [*rows[0].rates, sum(block.size for block in element.declared.channels)] if rows else []
    return plan.put_integers(integers, points, behind)
