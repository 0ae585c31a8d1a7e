"""Folders for temporary files: one an instance, below its worker's, removed when the instance has ended.

An instance's folder is made when it first asks the tempfile module where to put something, so that the many that never do
pay nothing. What a program started by a grain finds in TMPDIR before that is the worker's folder.
"""

from __future__ import annotations

import errno
import os
import sys
from typing import Any


def create(worker: str) -> str | None:
    """Makes the worker's folder, and has its processes use it; None where nothing can be written."""
    folder = place(worker)
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        pass
    except OSError:
        return None
    os.environ["TMPDIR"] = folder
    return folder


def place(worker: str) -> str:
    return f"{os.environ.get('TMPDIR', '/tmp')}/sand-{worker}"


class Hook:
    """In the worker once its code is loaded: its children find their own folder when they come to use the tempfile module."""

    def __init__(self) -> None:
        self.folder: str | None = None
        tempfile = sys.modules.get("tempfile")
        if tempfile is None:
            sys.meta_path.insert(0, self)  # type: ignore[arg-type]
        else:
            self._find = tempfile._get_default_tempdir
            tempfile._get_default_tempdir = self._default
            tempfile.tempdir = None

    def find_spec(self, name: str, _path: Any = None, _target: Any = None) -> None:
        """As an importer that finds nothing, but hears of the import."""
        if name == "tempfile":
            self._make()

    def _default(self) -> str:
        self._make()
        return self._find()

    def _make(self) -> None:
        if self.folder is not None:
            try:
                os.mkdir(self.folder, 0o700)
            except OSError:
                return
            os.environ["TMPDIR"] = self.folder


def remove_if_empty(folder: str) -> bool:
    """False when files are left in it. Mostly there is none: the question is cheaper than the exception."""
    if not os.access(folder, os.F_OK):
        return True
    try:
        os.rmdir(folder)
    except OSError as failed:
        return failed.errno not in (errno.ENOTEMPTY, errno.EEXIST)
    return True


def remove_in_child(folder: str) -> int:
    """Removes it with all that is in it, in a process of its own: 0 when there can be none, and it was done here."""
    try:
        pid = os.fork()
    except OSError:
        pid = 0
        remove(folder)
        return pid
    if pid == 0:
        try:
            remove(folder)
        finally:
            os._exit(0)
    return pid


def remove(folder: str) -> None:
    """Links are removed, not followed; what cannot be removed stays."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    remove(entry.path)
                else:
                    os.unlink(entry.path)
        os.rmdir(folder)
    except OSError:
        return
