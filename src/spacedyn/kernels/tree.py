"""How a robot and its scratch memory are laid out in flat arrays.

`tree` (integers) and `par` (numbers) describe the robot; `work` is scratch memory, counted in scalars.
Bodies stand in an order in which parents come before children; the base is body 0. Coordinates and rates keep the
order of the model. Every rate (degree of freedom) has a column S: the motion it gives its body.
"""

# kinds of joint
REVOLUTE, PRISMATIC, HELICAL, CYLINDRICAL, UNIVERSAL, PLANAR, SPHERICAL, FREE, FIXED = range(9)
# kinds of base
BASE_FREE, BASE_ATTITUDE, BASE_PLANAR, BASE_FIXED = range(4)

# tree: header
BODIES, RATES, COORDINATES, BASE, ANGLES, ENDPOINTS = range(6)  # how many; kind of base
BODY_AT, RATE_AT, ANGLE_AT, ENDPOINT_AT = range(6, 10)  # where their records start in `tree`
PAR_RATE, PAR_REST, PAR_ENDPOINT, PAR_GRAVITY = range(10, 14)  # and in `par`, whose body records start at 0
W_X, W_U, W_WRENCH, W_SINE, W_COSINE, W_BODY, W_RATE, W_OUT = range(14, 22)  # and in `work`
# W_STOP: phases of end stops in `work`; 0: they follow from the state. OWN_AXES: 1 if the vector that a simulation
# integrates has the base's angular rates in the base's axes
BASE_RATES, W_STOP, OWN_AXES, HEADER = range(22, 26)

# tree: a body's record
PARENT, KIND, COORDINATE, RATE, RATE_COUNT, ANGLE, LAST_RATE, HAS_CHILDREN, IS_LAST_CHILD, BODY_INTS = range(10)
# tree: a rate's record
RATE_BODY, RATE_PARENT, RATE_GIVEN, RATE_INTS = range(4)  # GIVEN: 1 if its acceleration is, and its force is sought

# par: a body's record; its inertia about its centre of mass is P_LEAST (the least principal moment) times one, plus
# a a' + b b' of the two vectors at P_INERTIA, principal axes: in this form it is turned with fewer operations
P_ROTATION, P_POSITION, P_COM, P_MASS, P_INERTIA, P_LEAST, P_PITCH, BODY_PARS = 0, 9, 12, 15, 16, 22, 23, 24
# par: a rate's record
P_ROTOR, P_STIFFNESS, P_DAMPING, P_FRICTION, P_FRICTION_SPEED, P_LOWER, P_UPPER, P_STOP, P_STOP_DAMPING = range(9)
RATE_PARS = 9
# par: an endpoint's record is its position and its rotation on its body
ENDPOINT_PARS = 12

# work: a body's record, kept short so that packs of long robots stay in the cache:
# the 21 scalars of ARTICULATED take the place of pose and motion once these have been used; where both are needed,
# what children hand on at a branch is HANDED in the place of INERTIA, and HANDED_FORCE. Robots without branches never
# touch these
ROTATION, POSITION, VELOCITY, ACCELERATION, FORCE, INERTIA, HANDED_FORCE, BODY_WORK = 0, 9, 12, 18, 24, 30, 51, 57
ARTICULATED, HANDED = 0, INERTIA
# work: a rate's record; likewise GAIN takes the place of SDOT
S, SDOT, D, D_INVERSE, TAU, QDD, PASSIVE, ELASTIC, FELT, RATE_WORK = 0, 6, 12, 13, 14, 15, 16, 17, 18, 19
GAIN = SDOT

# work: phases of end stops, with the sign of the limit: + the upper, - the lower
APART, PUSHING, SPENT = 0.0, 1.0, 2.0

# options of an entry point, added up
LOADED, PASSIVE_FORCES, HYBRID, REACTIONS, VELOCITIES, ACCELERATIONS = 1, 2, 4, 8, 16, 32
ABOUT_BASE, ABOUT_POINT, SIZES = 64, 128, 256  # of angular momentum; about the robot's centre of mass without them
RECOIL, JACOBIAN, FELT_INERTIA, QUIET, QUIET_MOMENT = range(5)  # what a free-floating robot is asked for, one at a time
