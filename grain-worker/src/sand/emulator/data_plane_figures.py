"""What has passed over the data plane to and from one cloud process, as the platform tells it in the process's metrics."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field


@dataclass
class Use:
    """:param ms: from an invocation's arrival to its end, summed up, as :param bytes_in: and :param bytes_out: of values are"""

    connections: int = 0
    invocations: int = 0
    failures: int = 0
    ms: float = 0
    bytes_in: int = 0
    bytes_out: int = 0
    used_ns: int | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def connected(self, by: int) -> None:
        with self._lock:
            self.connections += by
            if by > 0:
                self.used_ns = time.monotonic_ns()

    def answered(self, failed: bool, began_ns: int, bytes_in: int, bytes_out: int) -> None:
        with self._lock:
            self.used_ns = time.monotonic_ns()
            self.invocations += 1
            self.failures += failed
            self.ms += (self.used_ns - began_ns) / 1e6
            self.bytes_in += bytes_in
            self.bytes_out += bytes_out

    def shown(self, memory: int) -> dict[str, int]:
        """:param memory: the process's, in bytes"""
        with self._lock:
            quiet = {} if self.used_ns is None else {"quietMs": (time.monotonic_ns() - self.used_ns) // 1_000_000}
            return {
                "connections": self.connections, "invocations": self.invocations, "failures": self.failures,
                "ms": int(self.ms), "mbMs": int(self.ms) * (memory >> 20),
                "bytesIn": self.bytes_in, "bytesOut": self.bytes_out, **quiet,
            }  # fmt: skip
