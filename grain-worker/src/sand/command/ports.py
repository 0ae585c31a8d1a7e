"""Ports for programs that are started later, and again after a kill."""

import random
import socket

BELOW = 32768
"""From here on Linux gives ports to connections on its own (ip_local_port_range): what is free there now may be the end of
anyone's connection when the program comes to listen."""

_FROM = 15000
_TRIES = 1000


def free_ports(count: int) -> list[int]:
    """Different ones of 127.0.0.1 nobody listens on, below those that connections get. OSError if there are not so many."""
    held: list[socket.socket] = []
    try:
        for port in random.sample(range(_FROM, BELOW), _TRIES):
            if len(held) == count:
                break
            probe = socket.socket()
            held.append(probe)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                held.pop().close()
        if len(held) < count:
            raise OSError(f"no {count} free ports found on 127.0.0.1 between {_FROM} and {BELOW}")
        return [each.getsockname()[1] for each in held]
    finally:
        for each in held:
            each.close()


def free_port() -> int:
    return free_ports(1)[0]
