"""Layout of a simulation's arrays: the names of places in `plan`, `numbers`, `work`, `memory`, `counters`, `clock`.

`plan` (integers) holds counts and places; `numbers` constants (the method's coefficients, laws' parameters, times to
record); `work` the scalars of the integration, behind the robot's scratch memory; `memory` (plain doubles) what laws
read and write. `counters` (integers) and `clock` (doubles) change from call to call; with `work` and `memory` they are
the whole state of a simulation.

simulate/layout.py and simulate/stepper assign the places; this file names them.

The integrated vector y: chart coordinates s (nv), rates u (nv), internal states of laws and elements, the ledger. In y,
the angular rates of a base that turns about all axes are in its own axes (OWN_AXES), in which they are smooth;
everywhere else, and in `work` from W_U on, they are in inertial axes.
The ledger: work of each joint's actuator, of the wrench on the base, of those at the endpoints, energy dissipated in
joints, impulse (3) and moment about the centre of mass (3) of all external forces, what each element has done and
what it has dissipated, work of events, mass, momentum (3) and energy that have left.
"""

from .codes import *  # noqa: F403

# plan: how many; SAMPLED: elements that have a period
INTERNAL, SAMPLED, SIZE, LAWS, OUTPUTS, VIEW, RECORDS, ROW, METHOD, MAIN_STAGES, ALL_STAGES, DEGREE, CHOICES = range(13)
# plan: where, in work; Y_VIEW: what laws see, which begins with the coordinates (W_X) and, of a free base, rates (W_U)
Y_ORIGIN, Y_NOW, Y_STAGE, Y_NEW, Y_SPARE, Y_K, Y_TAU, Y_VIEW = range(13, 21)
# plan: where, in numbers
N_A, N_B, N_C, N_E5, N_E3, N_P, N_TIMES, N_SCALE = range(21, 29)
# plan: where, in memory
M_VIEW, M_OUT, M_HELD = range(29, 32)
LAW_AT, FLOW = 32, 33  # where the laws' records start in plan; address of the right-hand side
# joints that are or may be held: how many, where their records start, the output of motions' functions in memory; times
# that a step must end at
PRESCRIBED, PRESCRIBED_AT, M_MOTION, BREAKS, N_BREAKS = range(34, 39)
# elements: how many kinds are in use, where their records start, where the elements' own records start
KINDS, KIND_AT, ELEMENT_AT = range(39, 42)
# events: how many, where in numbers the directions are that count; the records of their conditions follow the laws'
EVENTS, N_DIRECTION = range(42, 44)
# modes: number of joints whose modes may change (all or none); place of the joints' modes in memory, followed by the
# modes that laws command; place of the coordinates at which joints are locked, or by which motions are shifted
MODES, M_MODE, M_ANCHOR = range(44, 47)
# a method with a step of its own: address of the step, of the right-hand side on duals, of its scratch memory (first
# its duals, from S_MATRIX on numbers); its constants in numbers; momenta in work
STEPPER, TANGENT_FLOW, SPARE, S_MATRIX, N_METHOD, Y_MOMENTUM = range(47, 53)
# guards: address of `check` (kernels/simulation/guards.py); in memory, the step that is to end at a guard's zero and
# the guard's slope there
GUARD_CHECK, M_CUT = range(53, 55)
# in memory, the number of the user's function that is being called: from 1 up for laws, from -1 down for motions of
# prescribed joints, from elements.program.CALLED up for users' elements, 0 for none
M_CALLED = 55
# elements: how many; in work: forces on rates, commands of laws, what they record (stored energies, channels, wrenches:
# CHANNELS numbers)
ELEMENTS, Y_PUSH, COMMANDS, Y_COMMAND, CHANNELS, Y_CHANNEL = range(56, 62)
# guards: how many, those of events last; in work: their values, their sides, further numbers of each (G_LEVEL ...
# below), and whether a robot's guards have sides
GUARDS, Y_GUARD, Y_SIDE, Y_GUARD_MEMORY, Y_ARMED = range(62, 67)
# the record: how many blocks of scalars a row is made of, and where their records start
BLOCKS, BLOCK_AT = range(67, 69)
# where the channels begin in what laws see; where in work what an element sees beside it is
VIEW_CHANNELS, Y_OWN_VIEW = range(69, 71)
OUT_COMMANDS = 71  # where the commands to elements are in what laws write
Y_OUTSIDE = 72  # in work, force and moment (about the base's centre of mass) of all that pushes bodies from outside
M_ENDED = 73  # in memory, of each lane of a pack: 1 if an event has ended its robot, and the last row of its record
# bodies that elements are attached to (kernels/elements/carried.py): how many, and where in plan their numbers are. In
# work: what elements carry (CARRIED numbers) and what leaves in a second (LEAVING); what is added to each body
# (BODY_ADDED). LEFT: where the rates of what has left are in the ledger, behind the states
ATTACHED, ATTACHED_AT, Y_CARRIED, Y_LEAVING, Y_ADDED, LEFT = range(74, 80)
Y_ROBOT = 80  # in work, of each lane of a pack: its robot's number in the batch
# where the position and velocity of the frame's falling origin begin among the internal states, plus one; 0: fixed
ORIGIN = 81
# groups of y that are judged by norms of their own: how many, and where in numbers the group of each number of y stands
GROUPS, N_GROUP = range(82, 84)
Y_HANDED = 84  # in work, of each body: inertia and force that elements hand on to it (HANDED_NUMBERS), for sensors
# constraint rows (kernels/elements/rows.py): how many, where in plan their records start; addresses of their solver and
# of the projection onto them. In work: rank and order of the rows that are held independent, whether they are
# nearly singular, the greatest length of each column so far, and how many of the independent ones, which come first,
# have residuals; columns W of all rows, orthonormal columns Q and R of the independent ones, right-hand sides and
# solutions; what is kept of the motion without them; for the record, the largest residual, the largest rate, the rank
ROWS, ROW_AT, SOLVE_ROWS, SETTLE_ROWS, Y_RANK, Y_COLUMN, Y_BASIS, Y_UPPER, Y_SOLUTION, Y_UNBOUND, Y_CLOSURE = range(
    85, 96
)
# Y_SLOPES: in work, a copy of a step's slopes, while those in Y_K lack their parts normal to the constraints
# in memory, the last remaining residual, over its tolerance, and whether some robot is near a singular state; address
# of the rows' solver on duals
M_OPEN, TANGENT_ROWS, Y_SLOPES = range(96, 99)
# FIRST_LEFT, LEAST_LEFT: squares of the least remainder of an independent row, at the start of the step and over its
# stages; RANK_CHANGES: 1 if the number of independent rows changes at the end of the step
OPEN_BY, IS_NEAR, FIRST_LEFT, LEAST_LEFT, RANK_CHANGES, OPEN_NUMBERS = range(6)
Y_OUT = 99  # in work, what a law writes for all robots of a pack at once
# places where bodies may touch, of methods that step through contact (kernels/elements/touches.py): how many; in work:
# the force that was last felt at each (3), what elements write of each (TOUCH_NUMBERS), what is known of each that is
# near enough (NEAR_NUMBERS), columns W of these; vectors of rates and motions of bodies
TOUCHES, Y_TOUCHED, Y_TOUCH, Y_NEAR, Y_NEAR_COLUMN, Y_FREE = range(100, 106)
# in memory: bodies and element of each place, places that are near, rates on the paths of these, marks of rates
M_TOUCH, M_NEAR, M_PATH, M_MARK, PATH = range(106, 111)  # PATH: the most rates that a place moves with
# guards that call for impulses (rigid contact): how many, the last before those of events; in work, the pace of what
# each of them watches, at the last evaluation and at the start of the step
ASKING, Y_PACE = range(111, 113)
# rows that rub, whose multipliers push beside their gradients (friction): whether there are any; in work, columns of
# the additional force, and the arrays of their solver
RUBS, Y_RUB = range(113, 115)
# bodies that sleep together (kernels/simulation/sleep.py): how many groups; where in plan the group of each body (-1 of
# one that cannot move), of each rate, and whether each group may sleep; the record of the element that lets them sleep;
# 1 if nothing but an event can wake anyone while all sleep; in work: of each group (SL_NUMBERS), then the accelerations
# of all rates; in memory: 1 for each body that is known to sleep in all lanes, then for all together
SLEEPERS, GROUP_AT, SLEEPER, SLEEPS_WHOLE, Y_SLEEP, M_SKIP = range(115, 121)
# rows under impulses, in work: of each place that is near and each row, what the row takes of its columns (3); of each
# row, the mean of what impulses made it push in the last step
Y_ROW_PART, Y_ROW_FELT = range(121, 123)
# places that are assigned anew at each evaluation (kernels/elements/found_places.py): in work, the key of each
Y_TOUCH_KEY = 123
# number of leading entries of y that change: where only laws' joint forces act, the ledger's other works and impulses
# stay zero
MOVING_SIZE = 124
Y_RANK_HELD = 125  # in work: a copy of the step's Y_RANK while other rows are tried
# in y: the largest violation of Coulomb's law by a velocity where sweeps ended; the largest velocity at a place
CONTACT_ERROR = 126
# bodies that carry nothing and turn freely (kernels/simulation/free_spin.py): how many, and where in plan they are;
# whether others move, too, for which a step in flight takes a second evaluation (flight.py)
SPINNERS, SPINNER_AT, FLIES = range(127, 130)
PLAN = 130
# work: of a group: how many steps it has slept, 0 if it is awake; how long it has been at rest; 1 if it is to fall
# asleep; 1 if it was held up by contact in the last step; its greatest speed now, squared
SL_ASLEEP, SL_QUIET, SL_FALLS, SL_HELD, SL_FAST, SL_NUMBERS = range(6)
# work: of a place: gap; unit normal, towards the first body; where it is, from the reference points of both bodies;
# velocity of the first body there relative to the other; coefficient of friction; restitution; 1 in lanes where bodies
# that are struck within the step close the gap
T_GAP, T_NORMAL, T_AT, T_OTHER_AT, T_SPEED, T_FRICTION, T_RESTITUTION, T_STRUCK, TOUCH_NUMBERS = (
    0, 1, 4, 7, 10, 13, 14, 15, 16,
)  # fmt: skip
# memory: of a place: both bodies, -1 for the inertial frame or, of the first, for nothing; its element's record; its
# sort; the rate of one in a joint, or the number of the place about which one turns; its number among the near ones
TM_BODY, TM_OTHER, TM_ELEMENT, TM_SORT, TM_RATE, TM_NEAR, TM_NUMBERS = range(7)
NO_MORE = -2.0  # as first body: this place and those after it are unused, up to the place that TM_RATE names
# sorts of places: a point that is pushed and rubbed; an end stop of a joint's rate, which pushes; dry friction of one,
# which gives up to so much; resistance to turning (its torsion is in T_FRICTION) and rolling (in T_RESTITUTION) about a
# point, up to so much of what is pushed there
TOUCH_POINT, TOUCH_STOP, TOUCH_JOINT, TOUCH_TURN = range(4)
# memory: of a place that is near: its number; how many rates it moves with; its sort; of one about which another turns,
# that one's number among the near ones; 1 if its impulses changed in some lane, 0 if their last change is zero; 1 if it
# is steep in some lane (near_law.py)
NM_TOUCH, NM_COUNT, NM_SORT, NM_OWNER, NM_MOVED, NM_STEEP, NM_NUMBERS = range(7)
# work: of a place that is near, in its own axes (normal, two tangents): these axes; velocity without impulses; the
# least normal velocity after the step; coefficient of friction; 1 in lanes where it may touch; what impulses change of
# its velocity, (nn, n1, n2, 11, 22, 12), and the inverse; impulses; those that bounce; their last change;
# lam of its disc of friction (near_law.py)
NEAR_AXES, NEAR_FREE, NEAR_TARGET, NEAR_FRICTION, NEAR_MASK, NEAR_GAIN, NEAR_INVERSE = 0, 9, 12, 13, 14, 15, 21
NEAR_IMPULSE, NEAR_KEPT, NEAR_CHANGE, NEAR_TURNED, NEAR_NUMBERS = 27, 30, 33, 36, 37
CLOSURE_PHI, CLOSURE_RATE, CLOSURE_RANK, CLOSURE = range(4)
# plan: the record of a row: where in work its numbers are; the bodies that it pushes, -1 if none; how many joint rates,
# and where in plan their numbers are; its element's record; whether its force on one body comes from outside; whether
# it is nonholonomic: a condition on velocities, without a residual; whether it rubs; whether its element has more work
R_WORK, R_BODY, R_OTHER, R_RATES, R_RATE_AT, R_ELEMENT, R_OUTSIDE, R_NONHOLONOMIC, R_RUBS, R_WORKS, ROW_INTS = range(11)
# work: the numbers of a row: its residual, how fast that changes, the part of its second rate that no unknown
# acceleration changes, the part of its rate that is not the robot's, its multiplier, 1 if it rests (and nothing is held
# by it); then what a unit of the multiplier pushes: wrenches on both bodies about their reference points, what rubbing
# adds to them; how far it is spared where rows are redundant, 0 to 1; forces on the joint rates
ROW_PHI, ROW_RATE, ROW_BIAS, ROW_DRIFT, ROW_MULTIPLIER, ROW_RESTS, ROW_WRENCH, ROW_RUB, ROW_SPARED, ROW_FORCE = (
    0, 1, 2, 3, 4, 5, 6, 18, 30, 31,
)  # fmt: skip
# what holds a state on the rows is asked to do: to leave the independent rows as they are, or to choose them anew
# and, for stages of a step that begins near a singular state, where errors of a stage would be magnified, the former
# for the error of such a step, to take what is normal to the constraints out of its slopes, and to put it back
KEEP_RANK, CHOOSE_RANK, HOLD_STAGE, TAKE_NORMAL, PUT_BACK = range(5)
HANDED_NUMBERS = 27
# mass, first moment, momentum and angular momentum, about the base's centre of mass and relative to its velocity
SUM_MASS, SUM_MOMENT, SUM_MOMENTUM, SUM_SPIN, CARRIED = 0, 1, 4, 7, 10
LEAVING_ENERGY, LEAVING = 10, 11  # behind these, of what leaves
# of a body: mass, first moment and inertia that elements add, about its centre of mass; acceleration of gravity fields
# there, their potential and their gradient; momentum, relative to the body, of what moves on it
ADDED_MASS, ADDED_MOMENT, ADDED_INERTIA, FIELD, FIELD_POTENTIAL, FIELD_GRADIENT = 0, 1, 4, 10, 13, 14
ADDED_MOMENTUM, BODY_ADDED = 23, 26
LEFT_MASS, LEFT_MOMENTUM, LEFT_ENERGY, LEFT_NUMBERS = 0, 1, 4, 5  # what has left: in the ledger
H_CUT, CUT_SLOPE, CUT_MEMORY = range(3)
SET_SIDES, CHANGE_SIDES, CHECK_STEP, CHECK_JUMP = range(4)  # tasks of `check` (kernels/simulation/guards.py)
# work: of guards, GUARDS numbers of each kind: levels, from which values are counted; values at the start of this step
# and of the previous one; values at a point of the step and at the two points before; fractions of the step between
# which it crossed (0: it did not); for events: whether it happens here, its distance to zero then, whether to ignore it
G_LEVEL, G_START, G_BEFORE, G_LATE, G_OLD, G_OLDER, G_FROM, G_CROSSED, G_FIRED, G_NEAR, G_IGNORE, GUARD_NUMBERS = range(
    12
)

# choices: bits beside the options of an entry point
SEES_MOMENTUM, SEES_ENDPOINTS, RECORDS_STEPS = 64, 128, 256
PUSHES_BODIES, PUSHES_JOINTS = 512, 1024  # of elements
SEES_CHANNELS, SEES_ROBOT = 2048, 4096  # whether elements have channels; whether there are laws or users' elements
CARRIES_MASS, LOSES_MASS = 8192, 16384  # whether elements carry mass or momentum; whether any of it may leave
GUARDS_FORCES = 1 << 22  # whether guards need accelerations, so that a LOOK solves the dynamics, too
WEIGHS = 1 << 23  # whether there is uniform gravity
FEELS_FIELDS, SUMS_FORCES = 1 << 20, 1 << 21  # whether sensors need gravity fields; what is handed on to bodies

# plan: a law's record
# L_PLACES: the table that the function is called with: sizes of view and out, then start and end of each used part,
# first the L_SEEN parts of the view that it reads
# L_PACK: its C function over packs, 0 if it has none
L_ADDRESS, L_SAMPLED, L_PARAMETERS, L_STATE, L_STATES, L_RING, L_RING_SIZE, L_PLACES, L_SEEN, L_PACK, LAW_INTS = range(
    11
)
# plan: the record of a joint that is or may be held; J_NUMBERS: breaks and coefficients, or parameters; J_PIECE: a
# counter; J_ATTITUDE: 1 if its last coordinates are a quaternion
J_KIND, J_RATE, J_COORDINATE, J_COUNT, J_NUMBERS, J_PIECES, J_DEGREE, J_PIECE, J_ADDRESS, J_ATTITUDE = range(10)
J_PLACES, JOINT_INTS = range(10, 12)
# forms of a joint's motion: none, polynomials between breaks, a C function of time
NO_MOTION, PIECEWISE, FUNCTION = range(3)
# plan: the record of a kind of elements: its C function, the one on duals, when it is called, its elements. Kinds are
# called in the order of their records: laws before what they command
K_ADDRESS, K_TANGENT, K_PHASE, K_FIRST, K_COUNT, KIND_INTS = range(6)
# phases: before the robot's poses are known; what bodies carry; forces; when accelerations are known
PLACES_JOINTS, CARRIES, ACTS, SETTLES = range(4)
# plan: an element's record. Places of: its own integers in plan, its numbers, its states behind 2 nv of y, its commands
# in work, the places (in plan) of its channels, its work and what it dissipated in y, its stored energy in work, its
# first guard; a counter of its times that have passed: of a start and an end, 1 while it acts
E_OWN, E_NUMBERS, E_STATE, E_COMMAND, E_CHANNELS, E_WORK, E_LOST, E_STORED, E_GUARD, E_ACTS = range(10)
# the places (in plan) of the wrenches that it records; where in numbers its times are, then infinity; -1 without any
E_WRENCHES, E_SPAN = range(10, 12)
# how many guards; how many samples, which are the last of its states; where in numbers its period is, -1 without one; a
# counter of instants at which it was sampled; where in work it says, robot by robot, whether it is being sampled
# E_LINKS: where in plan the places of the linked elements' records are
# E_KEPT: where in work its kinds keep numbers for kinds called later in the same evaluation
# E_ROWS: the number of its first constraint row; E_TOUCHES: of its first place where bodies may touch
E_GUARDS, E_SAMPLES, E_PERIOD, E_TAKEN, E_SAMPLING, E_LINKS, E_KEPT, E_ROWS, E_TOUCHES, ELEMENT_INTS = range(12, 22)
# plan: the record of a block of a row: its first column, how many numbers, where the first is, places from one to the
# next, and in what: work, the vector y, memory
B_COLUMN, B_COUNT, B_PLACE, B_STRIDE, B_SOURCE, BLOCK_INTS = range(6)
OF_WORK, OF_VECTOR, OF_MEMORY = range(3)
# counters: of the whole run, then two for each law: samples taken, samples in effect; then pieces of prescribed joints;
# then two for each element: its times that have passed, samples taken
# C_FRESH: 1 if the next step has its first stage, 2 (IDLE) if the step just taken has no stage at its end
# C_RECORD: rows written; C_TIME: of the times; C_TAKEN: whether a step is taken whose rows are not all written;
# C_BREAK: breaks passed; C_SIDES: whether all guards have sides, and how many changed at this instant; C_CUT: steps
# tried to end where guard C_TARGET (its number times lanes, plus the lane) is zero; C_ENDS: whether the step taken ends
# there; C_AGAIN: whether one must be taken again; C_HAPPENED: whether the step taken ends at an event; C_EVENTS: how
# many of them there were
# C_DUE: laws whose samples are due where the right-hand side is being evaluated, as bits
# C_POSED: what is known in `work` of the bodies at Y_NOW (codes.py), for several evaluations there begin a step
# C_ASKED: whether the step taken ends where a guard asks
# C_SLIDES: 1 + C_TARGET of a guard that changed its side too often at one instant, so that a step passed over it
# C_LAST: 1 before the first try of a step that is to land on T_END, 2 afterwards: a longer run would step elsewhere
C_STEPS, C_REJECTED, C_RECORD, C_TIME, C_FRESH, C_TAKEN, C_BREAK, C_SIDES, C_CUT, C_TARGET = range(10)
C_ENDS, C_AGAIN, C_HAPPENED, C_EVENTS, C_LAST, C_DUE, C_POSED, C_ASKED, C_SLIDES, C_LAWS = range(10, 20)
# clock
T, H, T_END, H_MIN, H_MAX, ERROR_BEFORE, ORDER, T_START, H_TAKEN, T_NEXT, CLOCK = range(11)
# numbers: a law's first two parameters are its period and its delay
