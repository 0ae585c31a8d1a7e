"""What the hop scripts share: told a count on stdin, each prints so many nanoseconds, one a line."""

import os
import signal
import sys
import time
from collections.abc import Callable

EMPTY = b"x" * 128
PACE_SECONDS = 0.008
WARM = 50


def serve(hop: Callable[[], int], relay: int) -> None:
    """Measures hops, a message every 8 ms, until stdin ends; then ends the relay, a process of ours."""

    def paced() -> int:
        time.sleep(PACE_SECONDS)
        return hop()

    for _ in range(WARM):
        paced()
    for line in sys.stdin:
        for _ in range(int(line)):
            print(paced())
        sys.stdout.flush()
    os.kill(relay, signal.SIGKILL)
    os.waitpid(relay, 0)
