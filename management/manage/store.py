"""What the management keeps, in tables of its own application: linearizable, with conditional writes. Every row says its
schema; one of a newer platform is not half understood but refused.

Changes of who may do what count the `epoch` up afterwards: by it the frontends know that what they remember is old.
"""

from __future__ import annotations

import time
from contextlib import contextmanager

from sand.errors import Conflict, SandError, Unavailable

SCHEMA = 1
NEWEST = 100


def now_ms():
    return int(time.time() * 1000)


class Rows:
    """A partition of rows by key.

    :param parts: what it is of, such as ("members", tenant); checked before, so that no part has a slash
    """

    def __init__(self, request, *parts):
        self.table = request.context.data.table("/".join(parts))

    def get(self, key):
        """The row, or None."""
        return self.versioned(key)[0]

    def versioned(self, key):
        row, version = self.table.versioned(key)
        return _understood(key, row), version

    def put(self, key, row, if_version=None):
        return self.table.put(key, {"schema": SCHEMA, **row}, if_version)

    def add(self, key, row):
        """Whether there was none of the key yet; then it is there now."""
        try:
            self.put(key, row, if_version=0)
        except Conflict:
            return False
        return True

    def change(self, key, change):
        """Puts what `change` makes of the row, as often as others are faster. The row as it is now; None: there is none."""
        while True:
            row, version = self.versioned(key)
            if row is None:
                return None
            changed = {**row, **change(row)}
            try:
                self.put(key, changed, version)
            except Conflict:
                continue
            return changed

    def delete(self, key):
        return self.table.delete(key)

    def items(self, prefix="", after=None):
        for key, row, _ in self.table.items(prefix, after):
            yield key, _understood(key, row)


def _understood(key, row):
    if isinstance(row, dict) and row.get("schema", SCHEMA) > SCHEMA:
        raise Unavailable(f"the row of {key} was written by a newer platform")
    return row


class Notes:
    """What was done to something, the newest hundred times: one list a key, changed atomically."""

    def __init__(self, request, *parts):
        self.request = request
        self.table = request.context.data.table("/".join(parts))

    def add(self, key, **note):
        entry = {"schema": SCHEMA, "atMs": now_ms(), "by": self.request.who.name, **note}
        with self.table.transaction() as all_of_it:
            all_of_it.append(key, entry)
            all_of_it.keep_last(key, NEWEST)

    def newest_first(self, key):
        return [{name: value for name, value in note.items() if name != "schema"} for note in reversed(self.table.get(key, []))]

    def delete(self, key):
        self.table.delete(key)


@contextmanager
def after_the_change(request):
    """For rows about what the platform has done: one that cannot be kept is logged, and the answer stays the platform's."""
    try:
        yield
    except SandError as lost:
        request.context.logger.warning("%s is done, and what is kept of it is not: %s", request.operation, lost)


def forget_access(request):
    """Whoever remembers keys, sessions, members or quotas is to look again."""
    request.context.data.table("access").counter("epoch")


def without_schema(row, *hidden):
    """For an answer."""
    return {name: value for name, value in row.items() if name != "schema" and name not in hidden}
