"""Values that are no JSON, on their way through a workflow: handed on whole, to grains and as an output; they have no inside.

A driver makes them of what its grains give. `inside` stands wherever the engine looks into a value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sand.asl.failure import StateError, runtime


@dataclass(frozen=True, slots=True)
class Opaque:
    """content: the driver's own; bytes: how many it has."""

    content_type: str
    content: Any
    bytes: int

    def refusal(self) -> StateError:
        """What a state fails with that looks into it."""
        return runtime(f"a path looks into a value of type {self.content_type}; only JSON has an inside")


@dataclass(frozen=True, slots=True)
class OpaqueJoin:
    """Results side by side of which one is no JSON. A state may hand them on; no grain and no caller can be given them."""

    results: Sequence[Any]

    def _first(self) -> tuple[int, Opaque | OpaqueJoin]:
        return next((at, one) for at, one in enumerate(self.results) if isinstance(one, Opaque | OpaqueJoin))

    def refusal(self) -> StateError:
        return self._first()[1].refusal()

    def unwritable(self) -> StateError:
        """What it fails with where it is to be written."""
        index, found = self._first()
        if isinstance(found, OpaqueJoin):
            return found.unwritable()
        return runtime(f"result {index} is of type {found.content_type} and cannot be an element of a JSON array")


def joined(results: list[Any]) -> list[Any] | OpaqueJoin:
    return OpaqueJoin(results) if any(isinstance(one, Opaque | OpaqueJoin) for one in results) else results


def inside(value: Any) -> Any:
    """The value, of JSON. Raises StateError of any other."""
    if isinstance(value, Opaque | OpaqueJoin):
        raise value.refusal()
    return value


def written(value: Any) -> Any:
    """The value, when a grain or a caller can be given it. Raises StateError."""
    if isinstance(value, OpaqueJoin):
        raise value.unwritable()
    return value
