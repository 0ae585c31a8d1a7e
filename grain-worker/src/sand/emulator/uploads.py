"""A deployment's body as a folder: a zip, or the path of a folder on this machine."""

from __future__ import annotations

import contextlib
import io
import json
import re
import stat
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from sand.emulator import problems
from sand.emulator.http import Request
from sand.emulator.problems import Problem

ENTRIES = 20_000
UNPACKED_BYTES = 1 << 30
_DRIVE = re.compile(r"[A-Za-z]:")


@contextlib.contextmanager
def unpacked(request: Request) -> Iterator[Path]:
    """The folder. An unpacked one stays until this process ends: versions run from it.

    :raises Problem: it is neither
    """
    if (request.header("Content-Type") or "").startswith("application/json"):
        yield _folder(request)
        return
    folder = Path(tempfile.mkdtemp(prefix="sand-application-"))
    try:
        _unpack(request.body, folder)
        inside = list(folder.iterdir())
        # An archive of the folder itself instead of what is in it.
        one = not (folder / "sand.yaml").exists() and len(inside) == 1 and (inside[0] / "sand.yaml").exists()
        yield inside[0] if one else folder
    except BaseException:
        import shutil

        shutil.rmtree(folder, ignore_errors=True)
        raise


def _folder(request: Request) -> Path:
    try:
        named = json.loads(request.body).get("folder")
    except (ValueError, AttributeError):
        named = None
    if isinstance(named, str) and Path(named).is_absolute() and Path(named).is_dir():
        return Path(named)
    raise problems.bad_request(f'"folder" is the absolute path of an application\'s folder, not {named}.')


def _unpack(data: bytes, folder: Path) -> None:
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except zipfile.BadZipFile as broken:
        raise _refused(f"it is no zip: {broken}") from None
    with archive:
        entries = archive.infolist()
        if len(entries) > ENTRIES:
            raise _over(f"it has {len(entries)} entries, the limit is {ENTRIES}")
        if sum(entry.file_size for entry in entries) > UNPACKED_BYTES:
            raise _over(f"it has more than {UNPACKED_BYTES} bytes unpacked")
        for entry in entries:
            if stat.S_IFMT(entry.external_attr >> 16) not in (0, stat.S_IFREG, stat.S_IFDIR):
                raise _refused(f"'{entry.filename}' is a link or a special file; only files and folders are taken")
            parts = entry.filename.rstrip("/").split("/")
            if (
                _DRIVE.match(entry.filename)
                or entry.filename.startswith("/")
                or "\\" in entry.filename
                or any(part in ("", ".", "..") for part in parts)
            ):
                raise _refused(f"its entry '{entry.filename}' leaves the folder")
        try:
            archive.extractall(folder)
        except (zipfile.BadZipFile, OSError, RuntimeError) as broken:
            raise _refused(f"it cannot be unpacked: {broken}") from None


def _refused(why: str) -> Problem:
    return Problem(422, "invalid-archive", "The archive is refused", f"The archive is refused: {why}.")


def _over(why: str) -> Problem:
    return Problem(413, "archive-too-large", "The archive is over a limit", f"The archive is refused: {why}.")
