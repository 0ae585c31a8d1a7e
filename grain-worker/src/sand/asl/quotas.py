"""What AWS allows an execution beyond the bounds of `limits`: `sand asl run` holds one to it, the platform does not."""

from __future__ import annotations

from dataclasses import dataclass

from sand.asl import limits


@dataclass(frozen=True, slots=True)
class Quotas:
    """data_bytes: what the data of a task, a state or an execution may have, see `data_limit`; history_events: how many events
    a history may have, the last of them that of its end. None: it is not limited so."""

    data_bytes: int | None = None
    history_events: int | None = None


NONE = Quotas()
AWS = Quotas(limits.AWS_DATA_BYTES, limits.AWS_HISTORY_EVENTS)
