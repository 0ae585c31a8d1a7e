"""Wrong passwords, by the user's name: ten in a quarter of an hour lock the name for as long, then for twice as long. Users
that do not exist are locked as those are that do.

`attempts/<part>`; housekeeping clears away what is over.
"""

from __future__ import annotations

import hashlib

from manage import store
from manage.reply import too_many

MOST = 10
WINDOW_MS = 15 * 60_000
LONGEST_MS = 4 * 3_600_000


def refuse_locked(request, name):
    """:raises Problem: 429 with how long it is locked"""
    rows, key = _rows(request, name)
    left = (rows.get(key) or {}).get("untilMs", 0) - store.now_ms()
    if left > 0:
        seconds = -(-left // 1000)
        raise too_many("locked-out", f"Too many wrong passwords for this name: wait for {seconds} seconds.", seconds)


def count(request, name):
    """One more failure; the tenth locks."""
    rows, key = _rows(request, name)
    now = store.now_ms()
    rows.add(key, {"count": 0, "firstMs": now, "untilMs": 0, "locks": 0})

    def counted(row):
        begun = row if now - row["firstMs"] < WINDOW_MS else {**row, "count": 0, "firstMs": now}
        count = begun["count"] + 1
        if count < MOST:
            return {**begun, "count": count}
        lasts = min(LONGEST_MS, WINDOW_MS << row["locks"])
        return {"count": 0, "firstMs": now, "untilMs": now + lasts, "locks": row["locks"] + 1}

    rows.change(key, counted)


def clear(request, name):
    rows, key = _rows(request, name)
    rows.delete(key)


def _rows(request, name):
    key = f"u:{name}"
    return store.Rows(request, "attempts", hashlib.sha256(key.encode()).hexdigest()[0]), key
