"""Fuzzers: files of every format, calls, kills and changed checkpoints, in worker processes that are watched.

    make fuzz                                    a million files, 100 000 calls, kills and checkpoints
    make fuzz ARGS="--kinds urdf --count 5000"   one kind
    make fuzz ARGS="--seed 7 --case urdf:1234"   one case again, with its traceback

A case is made from the seed, its kind and its number alone, so it can be made again. What must not happen: an exception
that is not ours, a warning that is not ours, 5 s, a gigabyte, a crash, a file outside of the case's folder.
"""
