"""Values without an inside, on their way through a workflow: handed on whole, to grains and as an output. Of another type than
JSON, or called JSON and none.

A driver makes them of what its grains give. `inside` stands wherever the engine looks into a value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sand.asl.failure import DATA_LIMIT_EXCEEDED, StateError, runtime


@dataclass(frozen=True, slots=True)
class Broken:
    """Why a text is no JSON. is_limit: it is, as far as it was read, and over a limit."""

    text: str
    why: str
    is_limit: bool

    def refusal(self) -> StateError:
        if self.is_limit:
            return StateError(DATA_LIMIT_EXCEEDED, f"a path looks into a value that is over a limit: {self.why}")
        return runtime(f"a path looks into a value that is no JSON: {self.why}")


@dataclass(frozen=True, slots=True)
class Opaque:
    """content: the driver's own; bytes: how many it has; broken: of what is called JSON."""

    content_type: str
    content: Any
    bytes: int
    broken: Broken | None = None

    def refusal(self) -> StateError:
        """What a state fails with that looks into it."""
        if self.broken:
            return self.broken.refusal()
        return runtime(f"a path looks into a value of type {self.content_type}; only JSON has an inside")


@dataclass(frozen=True, slots=True)
class OpaqueJoin:
    """Results side by side of which one has no inside. A state may hand them on; no grain and no caller can be given them
    unless all are called JSON."""

    results: Sequence[Any]

    def refusal(self) -> StateError:
        return next(one for one in self.results if isinstance(one, Opaque | OpaqueJoin)).refusal()

    def unwritable(self) -> StateError | None:
        """What it fails with where it is to be written; None when it can be."""
        for index, one in enumerate(self.results):
            if isinstance(one, OpaqueJoin) and (inner := one.unwritable()):
                return inner
            if isinstance(one, Opaque) and not one.broken:
                return runtime(f"result {index} is of type {one.content_type} and cannot be an element of a JSON array")
        return None


def joined(results: list[Any]) -> list[Any] | OpaqueJoin:
    return OpaqueJoin(results) if any(isinstance(one, Opaque | OpaqueJoin) for one in results) else results


def inside(value: Any) -> Any:
    """The value, of JSON. Raises StateError of any other."""
    if isinstance(value, Opaque | OpaqueJoin):
        raise value.refusal()
    return value


def written(value: Any) -> Any:
    """The value, when a grain or a caller can be given it. Raises StateError."""
    if isinstance(value, OpaqueJoin) and (refusal := value.unwritable()):
        raise refusal
    return value
