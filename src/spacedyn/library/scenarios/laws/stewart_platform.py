"""Motions of `stewart_platform`: the length of a leg while the plate follows its path, by inverse kinematics."""

import math
from typing import Any

import spacedyn as sd


@sd.motion
def leg(t: float, p: Any, out: Any) -> None:
    """From p.foot on the ground to p.top on a plate that moves and turns, from rest, along a loop of three seconds.

    d = place + R top - foot: its length, and that one's two rates. The plate turns about one axis.
    """
    w = 2.0 * math.pi / 3.0
    s, c, s2, c2 = math.sin(w * t), math.cos(w * t), math.sin(2.0 * w * t), math.cos(2.0 * w * t)
    angle, rate, bend = 0.12 * (1.0 - c), 0.12 * w * s, 0.12 * w * w * c
    kx, ky, kz = 0.6, 0.64, 0.48  # the axis
    x, y, z = p.top[0], p.top[1], p.top[2]
    cx, cy, cz = ky * z - kz * y, kz * x - kx * z, kx * y - ky * x  # k x top
    along, sine, cosine = kx * x + ky * y + kz * z, math.sin(angle), math.cos(angle)
    rx = x * cosine + cx * sine + kx * along * (1.0 - cosine)
    ry = y * cosine + cy * sine + ky * along * (1.0 - cosine)
    rz = z * cosine + cz * sine + kz * along * (1.0 - cosine)
    tx, ty, tz = ky * rz - kz * ry, kz * rx - kx * rz, kx * ry - ky * rx  # k x (R top)
    nx, ny, nz = kx * along - rx, ky * along - ry, kz * along - rz  # k x (k x (R top))
    dx, dy, dz = 0.1 * (1.0 - c) + rx - p.foot[0], 0.05 * (1.0 - c2) + ry - p.foot[1], 1.0 + 0.05 * (1.0 - c) + rz
    vx, vy, vz = 0.1 * w * s + rate * tx, 0.1 * w * s2 + rate * ty, 0.05 * w * s + rate * tz
    ax = 0.1 * w * w * c + bend * tx + rate * rate * nx
    ay = 0.2 * w * w * c2 + bend * ty + rate * rate * ny
    az = 0.05 * w * w * c + bend * tz + rate * rate * nz
    length = math.sqrt(dx * dx + dy * dy + dz * dz)
    speed = (dx * vx + dy * vy + dz * vz) / length
    out.value[0] = length
    out.rate[0] = speed
    out.acceleration[0] = (vx * vx + vy * vy + vz * vz + dx * ax + dy * ay + dz * az - speed * speed) / length
