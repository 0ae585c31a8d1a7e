"""Files in a stack trace, as their author knows them."""

import json
import sys

import pytest

from sand import failure

APP = "/var/lib/sand/b/4f/app"


@pytest.mark.parametrize(
    ("file", "shown"),
    [
        (f"{APP}/grains/resize/handler.py", "grains/resize/handler.py"),
        (f"{APP}/grains/resize/grains/x.py", "grains/resize/grains/x.py"),
        (f"{APP}/lib/rates.py", "lib/rates.py"),
        (f"{APP}/.dependencies/numpy/core.py", ".dependencies/numpy/core.py"),
        (json.__file__, "json/__init__.py"),
        ("/elsewhere/x.py", "/elsewhere/x.py"),
        (f"{APP}-of-another/x.py", f"{APP}-of-another/x.py"),
        ("<string>", "<string>"),
    ],
)
def test_a_file_is_named_from_where_it_is_imported_on(monkeypatch: pytest.MonkeyPatch, file: str, shown: str) -> None:
    own = [f"{APP}/grains/resize", APP, f"{APP}/.dependencies"]
    monkeypatch.setattr(sys, "path", [*own, "", *sys.path])
    assert failure.place(file) == shown
