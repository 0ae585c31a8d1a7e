"""Runs a walk of gui/walk in a browser before a running platform."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import CHECKOUT

GUI = CHECKOUT / "gui"
NODE = CHECKOUT / ".sand/venv/bin/node"
WALK_SECONDS = 300
# Each page that a walk looks at, light and dark, to be looked at by people.
THEMES = ("light", "dark")
SCREENSHOTS = Path(os.environ.get("SAND_SCREENSHOTS", CHECKOUT / ".sand/test-reports/screenshots"))
PICTURES = Path(os.environ.get("SAND_PICTURES", SCREENSHOTS / "readme"))


def walk(script: str, server: str, *arguments: str, **environment: str) -> None:
    chromium = shutil.which("chromium")
    if chromium is None and not os.environ.get("SAND_TEST_BROWSER"):
        pytest.skip("there is no Chromium on this machine")
    assert chromium, "there is no Chromium on this machine"
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    began = time.time()
    # In a group of its own: the command starts Node, and that the browser.
    walking = subprocess.Popen(
        [str(NODE), str(GUI / "walk" / script), server, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ
        | {"SAND_CHROMIUM": chromium, "SAND_SCREENSHOTS": str(SCREENSHOTS), "SAND_PICTURES": str(PICTURES)}
        # What pages show as a command is tried, with this one in the place of `./sand`.
        | {"SAND_COMMAND": f"{sys.executable} -P -m sand.command"}
        | environment,
        start_new_session=True,
    )
    try:
        said, errors = walking.communicate(timeout=WALK_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(walking.pid, signal.SIGKILL)
        said, errors = walking.communicate()
    sys.stdout.write(said)
    assert walking.returncode == 0, errors
    assert said.endswith("walked\n")
    text = (GUI / "walk" / script).read_text()
    shown = [
        SCREENSHOTS / f"{name}-{theme}.png" for name in re.findall(r'accessible\(\w+, "(.+?)"\)', text) for theme in THEMES
    ]
    shown += [PICTURES / f"{name}.png" for name in re.findall(r'picture\("(.+?)"', text)]
    assert not [file for file in shown if not file.exists() or file.stat().st_mtime < began - 1], "a picture is missing"
