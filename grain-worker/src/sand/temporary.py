"""Folders for temporary files: one an instance, below its worker's, removed when the instance has ended."""

from __future__ import annotations

import errno
import os


def create(worker: str) -> str | None:
    """The worker's folder; None where nothing can be written."""
    folder = place(worker)
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        pass
    except OSError:
        return None
    return folder


def place(worker: str) -> str:
    return f"{os.environ.get('TMPDIR', '/tmp')}/sand-{worker}"


def remove_if_empty(folder: str) -> bool:
    """False when files are left in it."""
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
