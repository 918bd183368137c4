"""Numbers that stand for words: methods, modes of joints, what the driver returns. None of them is a place."""

# methods
EXPLICIT, SEMI_IMPLICIT_EULER, IMPLICIT, VARIATIONAL, TIME_STEPPING = range(5)
# status codes that `advance` returns
DONE, PAUSED, FULL, NOT_FINITE, STEP_TOO_SMALL, HAPPENED, UNSOLVED = range(7)
TAKEN, REJECTED = 7, 8  # of one step
SWITCHED = 9  # laws command other joint modes than the present ones
ENDING = 10  # the next step is to land on T_END; returned once, before that step

# modes of joints; 0 in what a law writes: no command
MODE_FREE, MODE_LOCKED, MODE_PRESCRIBED = 1, 2, 3
# in place of `due`: evaluate only what guards, conditions and samples see
LOOK = -1
FORCES_ALONE = -2  # as LOOK, without solving the dynamics
IDLE = 2  # of C_FRESH
# values of C_POSED: results may not be reused; none known yet; poses and velocities known; bias accelerations, too
UNKEPT, UNPOSED, MOVING, POSED = range(4)
