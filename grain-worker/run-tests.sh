#!/usr/bin/env bash
# The Python suite as Maven runs it (pom.xml): in the checkout's environment, which ./sand setup makes.
set -euo pipefail
cd "$(dirname "$0")"
python=../.sand/venv/bin/python
../sand setup python # a moment when nothing changed
mkdir -p target
"$python" -P -m ruff check src tests
(cd .. && .sand/venv/bin/python -P -m ruff check tests examples deploy management)
"$python" -P -m ruff format --check src tests
(cd .. && .sand/venv/bin/python -P -m ruff format --check management)
"$python" -P -m pytest -q ../tests/deploy ../tests/bench --junit-xml=target/pytest-deploy.xml
which=()
# Two at once in the inner loop: most of its time is waiting for processes.
[ "${SAND_TEST_QUICK:-0}" != 1 ] || which=(-m "not slow" -n 2 --dist loadfile)
# A run of its own: its conftest.py, like any application's, is not ours.
"$python" -P -m pytest -q ../management/tests --junit-xml=target/pytest-management.xml
exec "$python" -P -m pytest -q "${which[@]}" --junit-xml=target/pytest.xml
