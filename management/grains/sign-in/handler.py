"""Signing in: a name and a password for a session. Who guesses is locked out, and longer each time; users that do not exist are
locked, and cost the same work, as those that do.
"""

from manage import Problem, Reply, attempts, check, passwords, people, serve, sessions, store
from manage.names import drawn, is_user
from manage.reply import bad_request


def create(request):
    body = check.body(
        request, "The body is an object with name and password.", ("name", "password"), lambda it: f"Nobody has a '{it}'."
    )
    name = body.get("name")
    if not isinstance(name, str) or not 1 <= len(name) <= 63:
        raise bad_request('"name" is that of a user.', "/body/name")
    (hash,) = drawn(request, "hash")
    # What cannot be a name is nobody's, and nothing is kept of it.
    could_be = is_user(name)
    if could_be:
        attempts.refuse_locked(request, name)
    user = store.Rows(request, "users").get(name) if could_be else None
    password = passwords.opened(request, body, "password")
    fits = passwords.fits(user and user["hash"], password)
    if not fits or user["disabled"]:
        if could_be:
            attempts.count(request, name)
        raise _not_signed_in()
    attempts.clear(request, name)
    return _signed_in(request, name, user, password, hash)


def _signed_in(request, name, user, password, hash):
    users = store.Rows(request, "users")
    if renewed := passwords.renewed(user["hash"], password):
        # Not over the hash of another password, which was set meanwhile.
        users.change(name, lambda row: {"hash": renewed} if row["hash"] == user["hash"] else {})
    session = sessions.begin(request, name, hash)
    # Who has changed the password meanwhile, or disabled the user, has ended all sessions that there were.
    if users.get(name)["changedMs"] != user["changedMs"]:
        sessions.end(request, name, hash)
        raise _not_signed_in()
    shown = {"id": hash, "user": name, "operator": user["operator"], "tenants": people.tenants_of(request, name)}
    return Reply(201, {**shown, "expiresMs": session["expiresMs"]})


def _not_signed_in():
    return Problem(401, "unauthenticated", "Not signed in", "There is no user of that name with that password.")


handle = serve({"createSession": (None, create)})
