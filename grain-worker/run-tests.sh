#!/usr/bin/env bash
# The Python suites as Maven runs them (pom.xml): in the checkout's environment, which ./sand setup makes. Each runs whatever
# became of the one before: a report that is missing says nothing of what it would have told.
set -euo pipefail
cd "$(dirname "$0")"
python=../.sand/venv/bin/python
../sand setup python # a moment when nothing changed
mkdir -p target
status=0
"$python" -P -m pytest -q ../tests/deploy ../tests/bench --junit-xml=target/pytest-deploy.xml || status=$?
# A run of its own: its conftest.py, like any application's, is not ours.
"$python" -P -m pytest -q ../management/tests --junit-xml=target/pytest-management.xml || status=$?
# Two at once: most of its time is waiting for processes.
which=(-n 2 --dist loadfile)
[ "${SAND_TEST_QUICK:-0}" != 1 ] || which+=(-m "not slow")
"$python" -P -m pytest -q "${which[@]}" --junit-xml=target/pytest.xml || status=$?
exit "$status"
