"""The zip of an application's folder."""

import io
import json
import os
import zipfile
from pathlib import Path, PurePosixPath

import click
import pytest

from sand.command.bundle import ALWAYS_IGNORED, is_ignored, zip_folder

CHECKOUT = Path(__file__).parents[3]


@pytest.fixture
def application(tmp_path: Path) -> Path:
    (tmp_path / "grains/hello").mkdir(parents=True)
    (tmp_path / "sand.yaml").write_text("name: hello\n")
    (tmp_path / "grains/hello/handler.py").write_text("def handle(event, context): return event\n")
    return tmp_path


def names(data: bytes) -> list[str]:
    return zipfile.ZipFile(io.BytesIO(data)).namelist()


def test_the_same_folder_gives_the_same_bytes_whenever_its_files_were_touched(application: Path):
    first = zip_folder(application)
    os.utime(application / "sand.yaml", (1_000_000_000, 1_000_000_000))
    assert zip_folder(application) == first


def test_what_builds_and_editors_leave_stays_out(application: Path):
    for litter in ("grains/hello/__pycache__/handler.cpython-311.pyc", ".git/HEAD", ".sand/x"):
        path = application / litter
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    assert names(zip_folder(application)) == ["grains/hello/handler.py", "sand.yaml"]


def test_what_is_left_out_is_what_the_platform_leaves_out():
    left_out = json.loads((CHECKOUT / "event/vectors/bundle/left-out.json").read_text())
    assert sorted(ALWAYS_IGNORED) == sorted(left_out["leftOut"])
    for each in left_out["vectors"]:
        assert is_ignored(PurePosixPath(each["path"]), ALWAYS_IGNORED) == each["leftOut"], each["path"]


def test_the_guide_names_what_is_left_out():
    guide = (CHECKOUT / "docs/GUIDE.md").read_text()
    assert not [name for name in ALWAYS_IGNORED if f"`{name}`" not in guide]


def test_sandignore_names_what_else_stays_out(application: Path):
    (application / "notes").mkdir()
    (application / "notes/todo.txt").write_text("x")
    (application / "grains/hello/draft.txt").write_text("x")
    (application / "grains/hello/keep.md").write_text("x")
    (application / ".sandignore").write_text("# ours\nnotes/\n*.txt\n/sand.md\n")
    assert names(zip_folder(application)) == ["grains/hello/handler.py", "grains/hello/keep.md", "sand.yaml"]


def test_a_link_out_of_the_folder_is_refused(application: Path, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside") / "secret"
    outside.write_text("x")
    (application / "grains/hello/secret").symlink_to(outside)
    with pytest.raises(click.UsageError, match="outside the application"):
        zip_folder(application)


def test_a_folder_without_sand_yaml_is_no_application(tmp_path: Path):
    with pytest.raises(click.UsageError, match=r"sand\.yaml"):
        zip_folder(tmp_path)
