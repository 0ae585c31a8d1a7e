"""The files of a folder that is served where it is, while somebody works in it."""

from __future__ import annotations

from pathlib import Path

import pytest
from served import Served

from sand.emulator import folder_files

AT = "/api/v1/applications/app"
ECHO = "def handle(event, context):\n    return event\n"


def test_a_link_out_of_the_folder_is_no_file_of_it_and_hinders_nothing(
    served_quickly: Served, tmp_path_factory: pytest.TempPathFactory
) -> None:
    served = served_quickly
    served.grain("echo", ECHO)
    served.load()
    before = folder_files.address(served.folder)
    outside = tmp_path_factory.mktemp("outside") / "secret"
    outside.write_text("x")
    (served.folder / "grains/echo/out").symlink_to(outside)
    (served.folder / "grains/echo/nowhere").symlink_to(outside.with_name("none"))
    listed = served.http.get(f"{AT}/versions/live/files").json()["files"]
    assert [one["path"] for one in listed] == ["grains/echo/handler.py", "sand.yaml"]
    assert served.http.get(AT).json()["bundle"] == before
    assert served.http.get(f"{AT}/versions/live/file", params={"path": "grains/echo/out"}).status_code == 404


def test_a_file_that_goes_while_it_is_looked_at_is_none_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_text(name)
    whole = folder_files.address(tmp_path)
    found = [(name, tmp_path / name, True) for name in ("a", "b", "gone")]
    monkeypatch.setattr(folder_files, "entries", lambda folder: found)
    assert [file.name for file in folder_files.of(tmp_path)] == ["a", "b"]
    assert folder_files.address(tmp_path) == whole


def test_the_address_is_that_of_names_content_and_whether_it_runs(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_text("1")
    addresses = [folder_files.address(tmp_path)]
    file.write_text("2")
    addresses.append(folder_files.address(tmp_path))
    file.chmod(0o755)
    addresses.append(folder_files.address(tmp_path))
    file.rename(tmp_path / "b")
    addresses.append(folder_files.address(tmp_path))
    assert len({*addresses}) == 4
    assert all(len(address) == 64 for address in addresses)
