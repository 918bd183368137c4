"""Layout of a robot's description and scratch memory in flat arrays: names of places.

`tree` (integers) and `par` (numbers) describe the robot; `work` is scratch memory, counted in scalars.
Bodies stand in an order in which parents come before children; the base is body 0. Coordinates and rates keep the
order of the model. Every rate (degree of freedom) has a column S: the motion it gives its body.
Bodies far from the base are computed about reference points of their own: see segments.py.
"""

# kinds of joint
REVOLUTE, PRISMATIC, HELICAL, CYLINDRICAL, UNIVERSAL, PLANAR, SPHERICAL, FREE, FIXED = range(9)
# a number from STEPS on spells a kind that is a sequence of steps: a digit of base STEPS for each, from the second on,
# which is 1 + 3 times its motion + its direction (0 x, 1 y, 2 z)
STEPS, STEP_SLIDE, STEP_TURN, STEP_SCREW = 16, 0, 1, 2
# kinds of base
BASE_FREE, BASE_ATTITUDE, BASE_PLANAR, BASE_FIXED = range(4)

# tree: header
BODIES, RATES, COORDINATES, BASE, ANGLES, ENDPOINTS = range(6)  # how many; kind of base
BODY_AT, RATE_AT, ANGLE_AT, ENDPOINT_AT = range(6, 10)  # where their records start in `tree`
PAR_RATE, PAR_REST, PAR_ENDPOINT, PAR_GRAVITY = range(10, 14)  # and in `par`, whose body records start at 0
W_X, W_U, W_WRENCH, W_SINE, W_COSINE, W_BODY, W_RATE, W_OUT = range(14, 22)  # and in `work`
# OWN_AXES: 1 if the vector that a simulation integrates has the base's angular rates in the base's axes
BASE_RATES, OWN_AXES = range(22, 24)
SEGMENTS, SEGMENT_AT, W_SEGMENT = range(24, 27)  # how many beside the base's; where in `tree` and in `work`
# where in `par` the bodies' records start as elimination takes them (wheels.py); those of all others are at 0
PAR_FELT = 27
PAR_ROTOR = 28  # in `par`: the rotors' inertias, one for each rate, apart from its record, which dynamics do not read
W_PASSIVE = 29  # in `work`: records of the joints' own forces
HEADER = 32  # a multiple of 8, like BODY_INTS: the record of each body begins on a cache line

# tree: a body's record, two cache lines: what all recursions read, then what few bodies need
PARENT, RATE, RATE_COUNT, FLAGS, SEGMENT, OPENS, KIND, ANGLE = range(8)
COORDINATE, SWAP_AXES, SWAP_SIGNS, FIRST_AXIS, SECOND_AXIS, LAST_RATE, FRAME_AT = range(8, 15)
BODY_INTS = 16
# FLAGS, bits. BY_MEMORY: its articulated inertia goes to the parent through memory, not in registers; FROM_NEXT: that
# of the next body, its child, comes in registers; FROM_MEMORY: those of children come from memory. IS_WHEEL: wheels.py
HAS_CHILDREN, IS_LAST_CHILD, BY_MEMORY, FROM_NEXT, FROM_MEMORY, IS_WHEEL = 1, 2, 4, 8, 16, 32
# TURNED: its joint's frame stands anyhow in the parent's (P_ROTATION); SWAPPED: its axes are along the parent's axes,
# x, y, z along those at SWAP_AXES, with the signs at SWAP_SIGNS, plus 1, SWAP_BITS bits each; neither: it is parallel
TURNED, SWAPPED, SWAP_BITS = 64, 128, 2
# FRAME_AT: where in `tree` P_ROTATION stands once more, if robots differ, but not in it; 0 elsewhere
# ALONG_AXES: both vectors of P_INERTIA are along axes, FIRST_AXIS and SECOND_AXIS; never of wheels and who carries them
ALONG_AXES = 256
# SEGMENT: 0 is the base's. OPENS: whether the body opens its segment, and where its reference point is:
# at the joint's origin; at the centre of mass; there, and the joint resists nothing
AT_JOINT, AT_COM, LOOSE = range(1, 4)
# tree: a segment's record. RATE: the first rate that is no more the segment's on the way to the root. RESTS: 1 while a
# simulation knows that all about its bodies, behind a loose joint, is as it was (kernels/simulation/sleep.py): the one
# integer here that a kernel writes
SEGMENT_PARENT, SEGMENT_RATE, SEGMENT_RESTS, SEGMENT_INTS = range(4)
# tree: a rate's record
RATE_BODY, RATE_PARENT, RATE_GIVEN, RATE_SEGMENT, RATE_INTS = range(5)  # GIVEN: 1 if its acceleration is, not its force

# par: a body's record; its inertia about its centre of mass is P_LEAST (the least principal moment) times one, plus
# a a' + b b' of the two vectors at P_INERTIA, principal axes: in this form it is turned with fewer operations
P_ROTATION, P_POSITION, P_COM, P_MASS, P_INERTIA, P_LEAST, P_PITCH, BODY_PARS = 0, 9, 12, 15, 16, 22, 23, 24
# par: a rate's record
P_STIFFNESS, P_DAMPING, P_FRICTION, P_FRICTION_SPEED, P_LOWER, P_UPPER, P_STOP, P_STOP_DAMPING, RATE_PARS = range(9)
# par: an endpoint's record is its position and its rotation on its body
ENDPOINT_PARS = 12

# work: a body's record, kept short so that packs of long robots stay in the cache:
# the 21 scalars of ARTICULATED take the place of pose and motion once these have been used; where both are needed,
# what children have added at a branch is HANDED in the place of INERTIA, and HANDED_FORCE. Robots without branches
# never touch these
ROTATION, POSITION, VELOCITY, ACCELERATION, FORCE, INERTIA, HANDED_FORCE, BODY_WORK = 0, 9, 12, 18, 24, 30, 51, 57
ARTICULATED, HANDED = 0, INERTIA
# work: a rate's record; likewise GAIN takes the place of SDOT. One number is spare: at distances that are powers of two
# the records of a hundred rates get in each other's way in the cache (Coriolis and mass matrix a fifth slower)
S, SDOT, D, D_INVERSE, TAU, QDD, RATE_WORK = 0, 6, 12, 13, 14, 15, 17
GAIN = SDOT
# work: what only joints' own forces, and bases that are held, need of a rate
PASSIVE, ELASTIC, FELT, PASSIVE_WORK = range(4)

# work: a segment's record: from the reference point of the segment before to its own; velocity of its frame relative to
# that segment's; the same from and relative to the base; acceleration of what carries a loose joint while no unknown
# rate changes; and what is kept while that joint is eliminated
LEVER, DRIFT, ORIGIN, SPEED, BIAS, ACROSS, SEGMENT_WORK = 0, 3, 6, 9, 12, 18, 24

# options of an entry point, added up
LOADED, PASSIVE_FORCES, HYBRID, REACTIONS, VELOCITIES, ACCELERATIONS = 1, 2, 4, 8, 16, 32
ABOUT_BASE, ABOUT_POINT, SIZES = 64, 128, 256  # of angular momentum; about the robot's centre of mass without them
# What a free-floating robot is asked for, one at a time.
RECOIL, JACOBIAN, GENERALIZED_INERTIA, NULL_SPACE, NULL_SPACE_MOMENT, NULL_SPACE_FORCE = range(6)
