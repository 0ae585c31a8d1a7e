"""Signing in: a name and a password for a session. Who guesses is locked out, and longer each time; users that do not exist are
locked, and cost the same work, as those that do.

Failures are counted by name in `attempts/<part>`: ten in a quarter of an hour lock the name for as long, then twice as long.
"""

import hashlib

from manage import Problem, Reply, check, passwords, people, serve, sessions, store
from manage.names import drawn
from manage.reply import bad_request, too_many

MOST_FAILURES = 10
WINDOW_MS = 15 * 60_000
LONGEST_MS = 4 * 3_600_000


def create(request):
    body = check.body(
        request, "The body is an object with name and password.", ("name", "password"), lambda it: f"Nobody has a '{it}'."
    )
    name = body.get("name")
    if not isinstance(name, str) or not 1 <= len(name) <= 63:
        raise bad_request('"name" is that of a user.', "/body/name")
    (hash,) = drawn(request, "hash")
    key = f"u:{name}"
    attempts = store.Rows(request, "attempts", hashlib.sha256(key.encode()).hexdigest()[0])
    _refuse_locked(attempts.get(key))
    users = store.Rows(request, "users")
    user = users.get(name)
    password = passwords.opened(request, body, "password")
    fits = passwords.fits(user and user["hash"], password)
    if not fits or user["disabled"]:
        _count(attempts, key)
        raise Problem(401, "unauthenticated", "Not signed in", "There is no user of that name with that password.")
    attempts.delete(key)
    if passwords.is_old(user["hash"]):
        users.change(name, lambda _: {"hash": passwords.HASHER.hash(password)})
    session = sessions.begin(request, name, hash)
    shown = {"id": hash, "user": name, "operator": user["operator"], "tenants": people.tenants_of(request, name)}
    return Reply(201, {**shown, "expiresMs": session["expiresMs"]})


def _refuse_locked(row):
    left = (row or {}).get("untilMs", 0) - store.now_ms()
    if left > 0:
        seconds = -(-left // 1000)
        raise too_many("locked-out", f"Too many wrong passwords for this name: wait for {seconds} seconds.", seconds)


def _count(attempts, key):
    """One more failure; the tenth locks."""
    now = store.now_ms()
    attempts.add(key, {"count": 0, "firstMs": now, "untilMs": 0, "locks": 0})

    def counted(row):
        begun = row if now - row["firstMs"] < WINDOW_MS else {**row, "count": 0, "firstMs": now}
        count = begun["count"] + 1
        if count < MOST_FAILURES:
            return {**begun, "count": count}
        lasts = min(LONGEST_MS, WINDOW_MS << row["locks"])
        return {"count": 0, "firstMs": now, "untilMs": now + lasts, "locks": row["locks"] + 1}

    attempts.change(key, counted)


handle = serve({"createSession": (None, create)})
