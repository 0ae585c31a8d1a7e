"""An application's folder as a zip: the same folder gives the same bytes, so that the server knows it by its content."""

import fnmatch
import io
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import click

# As everywhere (event/vectors/bundle): the platform takes none of it.
ALWAYS_IGNORED = (
    "*.pyc",
    ".DS_Store",
    ".dependencies",
    ".git",
    ".hg",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".sand",
    ".sandignore",
    ".svn",
    ".venv",
    "__MACOSX",
    "__pycache__",
    "node_modules",
)
_EPOCH = (1980, 1, 1, 0, 0, 0)


def ignore_patterns(folder: Path) -> tuple[str, ...]:
    """Lines of .sandignore as shell patterns; a name matches anywhere, a pattern with a slash from the folder on."""
    file = folder / ".sandignore"
    lines = file.read_text().splitlines() if file.is_file() else []
    return ALWAYS_IGNORED + tuple(line.strip() for line in lines if line.strip() and not line.startswith("#"))


def is_ignored(path: PurePosixPath, patterns: tuple[str, ...]) -> bool:
    for pattern in patterns:
        anchored = "/" in pattern.rstrip("/")
        wanted = pattern.strip("/")
        for part in [path, *path.parents][:-1]:
            if fnmatch.fnmatchcase(str(part) if anchored else part.name, wanted):
                return True
    return False


def files(folder: Path) -> Iterator[tuple[str, Path]]:
    """What belongs to the application, by its name inside of it. Links to files are followed, links out of it refused."""
    for name, path, is_inside in entries(folder):
        if not is_inside:
            raise click.UsageError(f"{name} is a link to {path.resolve()}, outside the application's folder")
        yield name, path


def entries(folder: Path) -> Iterator[tuple[str, Path, bool]]:
    """As `files`, each with whether it is in the folder: a link may lead out of it."""
    patterns = ignore_patterns(folder)
    root = folder.resolve()
    for path in sorted(folder.rglob("*")):
        name = PurePosixPath(path.relative_to(folder).as_posix())
        if is_ignored(name, patterns) or not path.is_file():
            continue
        yield str(name), path, path.resolve().is_relative_to(root)


def zip_folder(folder: Path) -> bytes:
    """The folder's files in order of name, with one fixed time and no owner."""
    if not (folder / "sand.yaml").is_file():
        raise click.UsageError(f"{folder} has no sand.yaml: is it an application's folder? (`sand init` makes one)")
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, path in files(folder):
            entry = zipfile.ZipInfo(name, _EPOCH)
            executable = path.stat().st_mode & 0o111
            entry.external_attr = (0o100755 if executable else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, path.read_bytes())
    return buffer.getvalue()
