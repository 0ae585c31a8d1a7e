"""Signed-in browsers. Of a session's token the hash is kept, which is its id too; its first character is the partition."""

from __future__ import annotations

from manage import people, store
from manage.reply import unknown

LASTS_MS = 12 * 3_600_000
PARTS = "0123456789abcdef"


def rows(request, hash):
    return store.Rows(request, "sessions", hash[0])


def index(request, user):
    return store.Rows(request, "sessions-of", user)


def begin(request, user, hash):
    now = store.now_ms()
    agent = (request.headers.get("user-agent") or "")[:200]
    row = {
        "user": user,
        "tenant": people.first_tenant(request, user),
        "createdMs": now,
        "expiresMs": now + LASTS_MS,
        "agent": agent,
        "address": request.client,
    }
    rows(request, hash).put(hash, row)
    index(request, user).put(hash, {})
    return row


def end(request, user, hash):
    """Whether it was his, and there."""
    found = rows(request, hash).get(hash)
    if found is None or found["user"] != user:
        return False
    rows(request, hash).delete(hash)
    index(request, user).delete(hash)
    store.forget_access(request)
    return True


def end_all(request, user, but=None):
    for hash, _ in list(index(request, user).items()):
        if hash != but:
            rows(request, hash).delete(hash)
            index(request, user).delete(hash)
    store.forget_access(request)


def shown(hash, row, own):
    """:param own: the id of the session that asks"""
    if row is None:
        raise unknown("session", "There is no such session, or it has ended.")
    return {"id": hash, "current": hash == own, **store.without_schema(row)}
