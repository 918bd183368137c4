"""Counter-based random numbers: a function of key and counter, independent of earlier draws.

Philox4x32-10 turns a key (two words of 32 bits) and a counter (four words) into four random words: Salmon, Moraes, Dror
and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011. So the noise of a sample is the same whether its robot
runs alone or in a pack, at once or resumed. Integers here are of 64 bits and wrap; masks keep the words.
"""

import math

from ..scalar.compiling import inner, outlined

MULTIPLIER_0, MULTIPLIER_1 = 0xD2511F53, 0xCD9E8D57
KEY_0, KEY_1 = 0x9E3779B9, 0xBB67AE85  # added to the key in each round
WORD = 0xFFFFFFFF
ROUNDS = 10


@inner
def philox(key_0, key_1, c0, c1, c2, c3):
    """Four random words."""
    for _ in range(ROUNDS):
        first, second = MULTIPLIER_0 * c0, MULTIPLIER_1 * c2
        high, low = (first >> 32) & WORD, first & WORD
        c0, c1 = ((second >> 32) & WORD) ^ c1 ^ key_0, second & WORD
        c2, c3 = high ^ c3 ^ key_1, low
        key_0, key_1 = (key_0 + KEY_0) & WORD, (key_1 + KEY_1) & WORD
    return c0, c1, c2, c3


@inner
def between_0_and_1(high, low):
    """A number of 52 bits and a half of the last: neither 0 nor 1."""
    return ((high << 20) + (low >> 12) + 0.5) * 2.0**-52


@outlined
def two_normal_numbers(key_0, key_1, c0, c1, c2, c3, first, second):
    """Two independent normal numbers of these standard deviations, by Box and Muller (1958).

    Compiled once, so that they are the same to the bit wherever they are asked for.
    """
    a, b, c, d = philox(key_0, key_1, c0, c1, c2, c3)
    radius, angle = math.sqrt(-2.0 * math.log(between_0_and_1(a, b))), 2.0 * math.pi * between_0_and_1(c, d)
    return first * (radius * math.cos(angle)), second * (radius * math.sin(angle))
