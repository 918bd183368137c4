"""Numbers that stand for words: methods, modes of joints, what the driver returns. None of them is a place."""

# methods
EXPLICIT, SEMI_IMPLICIT_EULER, IMPLICIT, VARIATIONAL, TIME_STEPPING = range(5)
# what `advance` returns
DONE, PAUSED, FULL, NOT_FINITE, STEP_TOO_SMALL, HAPPENED, UNSOLVED = range(7)
TAKEN, REJECTED = 7, 8  # of one step
SWITCHED = 9  # laws ask for other modes of joints than the present ones
ENDING = 10  # the next step is to land on T_END: said once, before it is taken

# modes of joints; 0 in what a law writes: no command
MODE_FREE, MODE_LOCKED, MODE_PRESCRIBED = 1, 2, 3
# instead of laws that are due: only look at the conditions
LOOK = -1
FORCES_ALONE = -2  # a look that never solves the dynamics
IDLE = 2  # of C_FRESH
# of C_POSED: nobody may rely on anything; nothing is known; poses and velocities; accelerations without the unknown too
UNKEPT, UNPOSED, MOVING, POSED = range(4)
