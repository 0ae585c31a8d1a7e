"""Python peers live in a virtual environment of their own, so that they never meet the platform's."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

from .process import CACHE, run

REQUIREMENTS = [
    "confluent-kafka==2.16.1",
    "redis[hiredis]==8.1.0",
    "functions-framework==3.10.2",
    "gunicorn==27.0.1",
    "awslambdaric==4.2.2",
]


def python() -> Path:
    """The interpreter of the peers' environment, made when it is not there."""
    stamp = hashlib.sha256("\n".join(REQUIREMENTS).encode()).hexdigest()[:12]
    folder = CACHE / f"venv-{stamp}"
    if not (folder / "ready").exists():
        run([sys.executable, "-m", "venv", "--clear", str(folder)])
        run([str(folder / "bin/pip"), "install", "-q", *REQUIREMENTS], seconds=600)
        (folder / "ready").touch()
    return folder / "bin/python"
