"""The files of a version, and the address of their content. Folders are served where they are, as they are at the moment: a
file may go while it is looked at, and is then none of the version's."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from sand.command.bundle import entries


class File(NamedTuple):
    """size: in bytes."""

    name: str
    path: Path
    size: int
    is_executable: bool


def of(folder: Path) -> Iterator[File]:
    """What a deployment of the folder would bring, by name, but for links out of it, which no deployment takes."""
    for name, path in sorted((name, path) for name, path, is_inside in entries(folder) if is_inside):
        with contextlib.suppress(FileNotFoundError):
            found = path.stat()
            yield File(name, path, found.st_size, bool(found.st_mode & 0o111))


def address(folder: Path) -> str:
    """64 hexadecimal digits: the same for the same content."""
    digest = hashlib.sha256()
    for file in of(folder):
        with contextlib.suppress(FileNotFoundError):
            content = file.path.read_bytes()
            digest.update(f"{file.name}\0{file.is_executable}\0{len(content)}\0".encode())
            digest.update(content)
    return digest.hexdigest()
