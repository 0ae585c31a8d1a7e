#!/usr/bin/env python3
"""Backup of a platform of one host while it runs: backup.py HOME TARGET. To restore, start it with --home TARGET."""

import shutil
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

# In this order. What the bus says has ended must have its record in the store, and values that it names must be there: a
# store that is a moment newer has them, one that is older has not.
FILES = ("bus.db", "store.db", "logs.db")
# Named by what is in them, and never changed: copied last, they have all that the files above name.
TREES = ("bundles", "dependencies")


def main(home: Path, target: Path) -> None:
    if not (home / FILES[0]).is_file():
        sys.exit(f"{home} is no home of a platform of one host: it has no {FILES[0]}")
    target.mkdir(mode=0o700, parents=True)
    for name in FILES:
        if (home / name).is_file():
            copy(home / name, target / name)
    for name in TREES:
        if (home / name).is_dir():
            shutil.copytree(home / name, target / name, symlinks=True)
    print(f"{home} is in {target}")


def copy(source: Path, to: Path) -> None:
    """All of the file as of one moment, whoever writes to it."""
    with closing(sqlite3.connect(source.as_uri() + "?mode=ro", uri=True)) as read, closing(sqlite3.connect(to)) as written:
        read.backup(written)  # in one step: in steps it would begin anew with every write
        (result,) = written.execute("PRAGMA integrity_check").fetchone()
    if result != "ok":
        sys.exit(f"the copy {to} is damaged: {result}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve())
