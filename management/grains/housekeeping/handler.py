"""Clears away what is over: sessions, attempts to sign in, keys, invitations; mends indexes that a crash left behind.

A schedule calls it, nobody else: it asks the platform for nothing, and has no operations. What one run does is bounded, and the
next goes on.
"""

from manage import Request, names, people, sessions, store
from manage.entry import ready

MOST = 5000
DAY_MS = 86_400_000


def handle(event, context):
    """:returns: how many rows of each kind were cleared away or mended"""
    if isinstance(event, dict) and event.get("operation") == "ready":
        return ready(Request(event, context)).document()
    request = Request({"operation": "housekeeping"}, context)
    return {
        "sessions": _clear(request, ("sessions",), lambda row, now: row["expiresMs"] <= now),
        # A lock's length is remembered for a day without a failure.
        "attempts": _clear(request, ("attempts",), lambda row, now: max(row["untilMs"], row["firstMs"]) + DAY_MS <= now),
        "keys": _keys(request),
        "invitations": sum(_invitations(request, tenant) for tenant in _tenants(request)),
        "sessionsOf": sum(_sessions_of(request, user) for user in _users(request)),
        "members": sum(_members(request, tenant) for tenant in _tenants(request)),
    }


def _clear(request, partition, is_over):
    cleared, now = 0, store.now_ms()
    for part in sessions.PARTS:
        rows = store.Rows(request, *partition, part)
        for key, row in rows.items():
            if cleared == MOST:
                return cleared
            if is_over(row, now):
                rows.delete(key)
                cleared += 1
    return cleared


def _keys(request):
    """Those that ended a day ago, revoked ones too: until then they are told of as what they are."""
    cleared, now = 0, store.now_ms()
    for part in names.ID_CHARACTERS:
        rows = store.Rows(request, "keys", part)
        for id, row in rows.items():
            if cleared < MOST and row["expiresMs"] is not None and row["expiresMs"] + DAY_MS <= now:
                store.Rows(request, "keys-of", row["tenant"]).delete(id)
                store.Rows(request, "key-use").delete(id)
                cleared += rows.delete(id)
    return cleared


def _invitations(request, tenant):
    rows = store.Rows(request, "invitations", tenant)
    over = [hash for hash, row in rows.items() if row["expiresMs"] <= store.now_ms()]
    return sum(rows.delete(hash) for hash in over)


def _sessions_of(request, user):
    """The index may name sessions that are no more. (One that it does not name was begun in this moment.)"""
    index = sessions.index(request, user)
    gone = [hash for hash, _ in index.items() if sessions.rows(request, hash).get(hash) is None]
    return sum(index.delete(hash) for hash in gone)


def _members(request, tenant):
    """A membership counts, its index follows: who is in the index alone is no member."""
    mended = 0
    for user, row in people.members(request, tenant):
        membership = store.Rows(request, "memberships", user).get(tenant)
        if membership is None and store.now_ms() - row["sinceMs"] > DAY_MS:
            request.context.data.table(f"members/{tenant}").delete(user)
            mended += 1
    return mended


def _tenants(request):
    return ["default", *(name for name, _ in store.Rows(request, "tenants").items() if name != "default")]


def _users(request):
    return [name for name, _ in store.Rows(request, "users").items()]
