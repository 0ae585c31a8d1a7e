"""The files of a version, and the address of their content. Folders are served where they are, as they are at the moment."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from sand.command.bundle import files


class File(NamedTuple):
    name: str
    path: Path

    @property
    def is_executable(self) -> bool:
        return bool(self.path.stat().st_mode & 0o111)


def of(folder: Path) -> Iterator[File]:
    """What a deployment of the folder would bring, by name."""
    yield from sorted(File(name, path) for name, path in files(folder))


def address(folder: Path) -> str:
    """64 hexadecimal digits: the same for the same content."""
    digest = hashlib.sha256()
    for file in of(folder):
        content = file.path.read_bytes()
        digest.update(f"{file.name}\0{file.is_executable}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()
