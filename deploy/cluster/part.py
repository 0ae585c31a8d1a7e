"""One part of a cluster, as its runtime (containers or processes) sees it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Part:
    """id: its container or process. state: running, restarting, exited, …; restarts: after crashes, where they are counted."""

    name: str
    id: str
    state: str
    restarts: int
