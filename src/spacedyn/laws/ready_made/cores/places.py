"""Where everything is in the memory of a model-based law: `n` (integers) says where in `w` (doubles).

Joints whose forces the law gives are active; rates that react are free (the base's, and joints that others leave
alone); the rest are given: they go on as they do. Matrices are stored row by row.
"""

# how many: rates; coordinates of joints; active; free; rows that an endpoint follows; rows of the base's attitude
NV, NQ, HELD, ACTIVE, FREE, ROWS, BASE_ROWS, FLEXIBLE, ENDPOINT, PASSIVE, SIZE = range(11)
# where in `w`: coordinates and rates; H, c; J and J̇ u of the endpoint
AT_STATE, AT_H, AT_C, AT_J, AT_JU = range(11, 16)
# reduced to active joints: H q̈ + c = forces; u̇ = R q̈ + b; the endpoint's acceleration is G q̈ + a, and a push F at the
# endpoint adds B F to it
AT_HR, AT_CR, AT_R, AT_BIAS, AT_G, AT_A, AT_B = range(16, 23)
# pose of the endpoint (3 + 9), its velocity (6); the wanted pose, velocity and acceleration (24); error (6)
AT_POSE, AT_TWIST, AT_WANTED, AT_ERROR = range(23, 27)
# what the law finds: accelerations and forces of active joints; [least singular value, damped, limited, …]
AT_X, AT_F, AT_FLAGS, AT_ROOM, AT_WORK = range(27, 32)
# where in `n`: active, free and given rates in this order; rows of the endpoint; which of (v0; w0) the base's rates
# are; flexible rates; coordinates of active joints; the robot's tree
AT_ORDER, AT_ROW, AT_BASE, AT_FLEXIBLE, AT_PLACE, AT_TREE, HEADER = range(32, 39)

LEAST, DAMPED, LIMITED, FLAGS = range(4)  # in AT_FLAGS
WANTED_POSITION, WANTED_ROTATION, WANTED_VELOCITY, WANTED_ACCELERATION, WANTED_SIZE = 0, 3, 12, 18, 24
