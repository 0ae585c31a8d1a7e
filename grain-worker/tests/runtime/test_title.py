"""What ps shows of the runtime's processes."""

import os
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src"
SHOW = """
import os
from sand import title
title.show(title.prepare("worker", "resize"))
print(open("/proc/self/cmdline", "rb").read().rstrip(b"\\0").decode())
print(open("/proc/self/comm").read().strip())
print(os.environ["KEPT"])
"""


def test_a_process_says_what_it_is_and_keeps_its_environment() -> None:
    environment = dict(os.environ, PYTHONPATH=str(SOURCE), KEPT="kept")
    shown = subprocess.run([sys.executable, "-c", SHOW], capture_output=True, text=True, env=environment, check=True)
    assert shown.stdout.split("\n")[:3] == ["sand worker resize", "worker resize", "kept"]
