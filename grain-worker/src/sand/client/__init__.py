"""Cloud processes from outside: functions invoked over a connection of their own to the host that has the process.

    from sand.client import Process

    with Process("http://127.0.0.1:7263", "shop", "cart-7") as process:
        total = process.invoke("add", {"article": 17}, timeout=5)

Standard library only. docs/DATA-PLANE.md.
"""

from sand.client.calls import Call
from sand.client.process import Process
from sand.errors import Denied, InvocationFailed, NotFound, Overloaded, SandError, Timeout, TooLarge, Unavailable

__all__ = [
    "Call", "Denied", "InvocationFailed", "NotFound", "Overloaded", "Process", "SandError", "Timeout", "TooLarge",
    "Unavailable",
]  # fmt: skip
