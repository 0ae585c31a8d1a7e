"""`sand emulate` as a process: how it ends."""

import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

EXAMPLE = Path(__file__).parents[3] / "examples" / "state-types"


def test_ends_quietly_when_it_is_terminated() -> None:
    command = [sys.executable, "-P", "-m", "sand.command", "emulate", str(EXAMPLE), "--port", "0", "--no-reload"]
    emulator = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    assert emulator.stderr is not None
    try:
        served = re.search(r"served at (http://\S+);", emulator.stderr.readline())
        assert served is not None
        # Calls a grain, so that a supervisor runs.
        request = urllib.request.Request(f"{served[1]}/invoke/state-types/task", b'{"order": "bread"}', method="POST")
        urllib.request.urlopen(request, timeout=60).close()
        emulator.send_signal(signal.SIGTERM)
        _, said = emulator.communicate(timeout=60)
    finally:
        emulator.kill()
    assert emulator.returncode == 128 + signal.SIGTERM
    assert [line for line in said.splitlines() if not line.startswith("  POST ")] == []
