#!/usr/bin/env python3
"""Backup of a platform of one host while it runs: backup.py HOME TARGET. To restore, start it with --home TARGET."""

import fcntl
import shutil
import sqlite3
import sys
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

# In this order. What the bus says has ended must have its record in the store, and values that it names must be there: a
# store that is a moment newer has them, one that is older has not.
FILES = ("bus.db", "store.db", "logs.db")
# What the first of them has not yet.
LOGS = ("bus.db-ahead", "bus.db-ahead2")
# Large values, whose places the store's rows name. While it is locked no place of a value that is deleted is used again.
VALUES = "store.db.values"
# Named by what is in them, and never changed: copied last, they have all that the files above name.
TREES = ("bundles", "dependencies")


def main(home: Path, target: Path) -> None:
    if not (home / FILES[0]).is_file():
        sys.exit(f"{home} is no home of a platform of one host: it has no {FILES[0]}")
    target.mkdir(mode=0o700, parents=True)
    with kept(home / VALUES):
        copy_bus(home, target)
        for name in FILES[1:]:
            if (home / name).is_file():
                with opened(home / name) as read:
                    copy(read, target / name)
        # The last that is read of it: closing it ends the lock.
        if (home / VALUES).is_file():
            shutil.copyfile(home / VALUES, target / VALUES)
            check(target / "store.db", target / VALUES)
    for name in TREES:
        if (home / name).is_dir():
            shutil.copytree(home / name, target / name, symlinks=True)
    print(f"{home} is in {target}")


@contextmanager
def kept(values: Path) -> Iterator[None]:
    if not values.is_file():  # of an earlier platform
        yield
        return
    with values.open("rb") as file:
        fcntl.lockf(file, fcntl.LOCK_SH)
        yield


def check(store: Path, values: Path) -> None:
    with closing(sqlite3.connect(store)) as rows, values.open("rb") as file:
        for at, size, crc in rows.execute("SELECT at, size, crc FROM large"):
            file.seek(at)
            if zlib.crc32(file.read(size)) != crc:
                sys.exit(f"the copy {values} is damaged: the value at {at} has another checksum than was written")


def copy_bus(home: Path, target: Path) -> None:
    """Its logs and its database as of one moment: what the database says is needed no more may be so for what is in a log."""
    with opened(home / FILES[0]) as writes, opened(home / FILES[0]) as read:
        writes.execute("BEGIN IMMEDIATE")  # the database stays as it is, for as long as it takes to read the logs
        logs = {name: (home / name).read_bytes() for name in LOGS if (home / name).is_file()}  # an earlier platform has none
        read.execute("BEGIN")
        read.execute("SELECT count(*) FROM sqlite_master").fetchone()  # what it sees is what it sees now
        writes.execute("ROLLBACK")
        for name, log in logs.items():
            (target / name).write_bytes(log)
        copy(read, target / FILES[0])


def opened(file: Path) -> closing[sqlite3.Connection]:
    return closing(sqlite3.connect(file.as_uri() + "?mode=rw", uri=True, isolation_level=None, timeout=60))


def copy(read: sqlite3.Connection, to: Path) -> None:
    """All of the file as of one moment, whoever writes to it."""
    with closing(sqlite3.connect(to)) as written:
        read.backup(written)  # in one step: in steps it would begin anew with every write
        (result,) = written.execute("PRAGMA integrity_check").fetchone()
    if result != "ok":
        sys.exit(f"the copy {to} is damaged: {result}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve())
