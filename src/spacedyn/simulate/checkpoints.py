"""Checkpoints of a run, and digests that show whether a checkpoint or the records before it changed in a file."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from .simulation import Simulation

Array = np.ndarray
DIGEST_BYTES = 32
_DOUBLE = np.dtype("<f8")
_BYTES_AT_ONCE = 1 << 20


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """Everything that a simulation needs to resume bit for bit.

    Attributes
    ----------
    records : int
        Number of records written before it.
    image : Array
        The steppers' snapshots, one after another.
    ledger : Array
        The auditor's numbers.
    last : bool
        Whether the end of the run may have cut a step short; a longer run would have taken another step.
    digest : bytes or None
        Over what made the run, the records before, and the checkpoint; None if it was never written to a file.
    """

    records: int
    image: Array
    ledger: Array
    last: bool = False
    digest: bytes | None = None

    def to_bytes(self) -> bytes:
        """The numbers as they are written: records, last, ledger, image."""
        head = [float(self.records), float(self.last)]
        return np.concatenate([head, self.ledger, self.image]).astype(_DOUBLE).tobytes()

    @classmethod
    def from_numbers(cls, numbers: Array, ledger: int, most: int, digest: bytes) -> "Checkpoint":
        """The inverse of `to_bytes`; from an invalid head it makes a checkpoint that fails verification.

        Parameters
        ----------
        numbers : Array
            What was written.
        ledger : int
            How many of them are the ledger's.
        most : int
            Number of records in the file.
        digest : bytes
            What was written beside it.
        """
        records, last, ledger_numbers, image = numbers[0], numbers[1], numbers[2 : 2 + ledger], numbers[2 + ledger :]
        if not (0 <= records <= most and records == int(records) and last in (0.0, 1.0)):
            return cls(0, image, ledger_numbers, False, b"")
        return cls(int(records), image, ledger_numbers, bool(last), digest)


class RowDigest:
    """Running digest over the records of a run; it seals each checkpoint.

    Parameters
    ----------
    simulation : Simulation
        What makes the run; where it ends, and how often it is recorded, make no difference.
    """

    def __init__(self, simulation: Simulation):
        self.records = 0
        self._hash = hashlib.blake2b(simulation.physics(), digest_size=DIGEST_BYTES)

    def add(self, rows: Array) -> None:
        """Add records to the digest."""
        if not len(rows):
            return
        step = max(1, _BYTES_AT_ONCE // max(8, rows[0].nbytes))
        for first in range(0, len(rows), step):
            self._hash.update(np.ascontiguousarray(rows[first : first + step], dtype=_DOUBLE).data)
        self.records += len(rows)

    def of(self, checkpoint: Checkpoint) -> bytes:
        """The digest of a checkpoint after the records so far."""
        both = self._hash.copy()
        both.update(checkpoint.to_bytes())
        return both.digest()

    def copy(self) -> "RowDigest":
        """An independent copy."""
        other = object.__new__(RowDigest)
        other.records, other._hash = self.records, self._hash.copy()
        return other


class Verified(NamedTuple):
    """A checkpoint whose digest matches: neither it nor the records before it have changed since they were written."""

    number: int  # among all
    checkpoint: Checkpoint  # with its digest
    digest: RowDigest  # over the records before it


def verified(simulation: Simulation, rows: Array, checkpoints: Sequence[Checkpoint]) -> list[Verified]:
    """The checkpoints whose digests match, and those never written to a file, in their order."""
    digest, good = RowDigest(simulation), []
    for number, one in enumerate(checkpoints):
        if one.records < digest.records:  # they are written in the order of records
            continue
        digest.add(rows[digest.records : one.records])
        found = digest.of(one)
        if one.digest is None or one.digest == found:
            good.append(Verified(number, replace(one, digest=found), digest.copy()))
    return good
