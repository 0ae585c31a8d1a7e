"""Users: who one is, his password, and whether he may sign in at all."""

from manage import Problem, Reply, attempts, check, passwords, people, serve, sessions, store
from manage.names import user
from manage.reply import bad_request, conflict, unknown


def list_users(request):
    """All there are."""
    rows = store.Rows(request, "users").items()
    return Reply(200, {"users": [_shown(request, name, row) for name, row in rows]})


def get(request):
    """Oneself, or anybody for the operator."""
    name = _visible(request)
    return Reply(200, _shown(request, name, _there(request, name)))


def change_password(request):
    """Other sessions end: who has stolen one has it no more. Nor does he guess the password with it, which counts as
    signing in does."""
    name = request.who.require_user()
    expected = "The body is an object with old and new."
    body = check.body(request, expected, ("old", "new"), lambda it: f"A password has no '{it}': it has old and new.")
    attempts.refuse_locked(request, name)
    row = _there(request, name)
    if not passwords.fits(row["hash"], passwords.opened(request, body, "old")):
        attempts.count(request, name)
        raise Problem(403, "denied", "Not allowed", "The old password is another.", pointer="/body/old")
    hash = passwords.new(request, body, "new")
    store.Rows(request, "users").change(name, lambda _: {"hash": hash, "changedMs": store.now_ms()})
    sessions.end_all(request, name, but=request.who.id)
    return Reply(204)


def change_user(request):
    """Whether he may sign in, whether he operates the platform, and a new password for one who has forgotten his. A user is not
    deleted: what he has done stays his."""
    name = user(request.parameters.get("user"))
    expected = "The body is an object with disabled, operator or new, a password."
    body = check.body(request, expected, ("disabled", "operator", "new"), lambda it: f"A user's '{it}' is not changed here.")
    flags = {field: body[field] for field in ("disabled", "operator") if field in body}
    for field, value in flags.items():
        if not isinstance(value, bool):
            raise bad_request(f'"{field}" is true or false.', f"/body/{field}")
    if not body:
        raise bad_request(expected, "/body")
    row = _there(request, name)
    if _operates(row) and not _operates({**row, **flags}) and not _other_operator(request, name):
        raise conflict(f"'{name}' is the last who operates this platform: make another one first.")
    changed = {**flags, **({"hash": passwords.new(request, body, "new")} if "new" in body else {})}
    row = store.Rows(request, "users").change(name, lambda _: {**changed, "changedMs": store.now_ms()})
    if "new" in body or body.get("disabled") or body.get("operator") is False:
        sessions.end_all(request, name)
    if "new" in body:  # what was guessed at is another password's by now, and whoever forgot his may have guessed too
        attempts.clear(request, name)
    return Reply(200, _shown(request, name, row))


def _operates(row):
    return row["operator"] and not row["disabled"]


def _other_operator(request, name):
    return any(_operates(row) for other, row in store.Rows(request, "users").items() if other != name)


def _visible(request):
    name = user(request.parameters.get("user"))
    if name != request.who.user and not request.who.is_operator:
        raise unknown("user", f"There is no user '{name}' here.")
    return name


def _there(request, name):
    row = store.Rows(request, "users").get(name)
    if row is None:
        raise unknown("user", f"There is no user '{name}' here.")
    return row


def _shown(request, name, row):
    return {"user": name, **store.without_schema(row, "hash"), "tenants": people.tenants_of(request, name)}


handle = serve(
    {
        "listUsers": ("operator", list_users),
        "getUser": (None, get),
        "changePassword": (None, change_password),
        "changeUser": ("operator", change_user),
    }
)
