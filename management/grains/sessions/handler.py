"""Sessions of the user who asks: this one, the others, their end. Nobody sees anybody else's."""

from manage import Reply, check, people, serve, sessions, store
from manage.names import is_hash
from manage.reply import denied, unknown


def get(request):
    """Who asks, whatever he has shown."""
    who = request.who
    shown = {"kind": who.kind, "user": who.user, "tenant": who.tenant, "scopes": sorted(who.scopes)}
    if who.kind != "session":
        return Reply(200, shown)
    session = sessions.shown(who.id, sessions.rows(request, _own(request)).get(who.id), who.id)
    return Reply(200, {**shown, **session, "tenants": people.tenants_of(request, who.user)})


def list_sessions(request):
    user = request.who.require_user()
    found = []
    for hash, _ in sessions.index(request, user).items():
        row = sessions.rows(request, hash).get(hash)
        if row is not None and row["expiresMs"] > store.now_ms():
            found.append(sessions.shown(hash, row, request.who.id))
    return Reply(200, {"sessions": sorted(found, key=lambda each: -each["createdMs"])})


def renew(request):
    """Twelve hours from now; in another tenant, if the body names one."""
    id = _own(request)
    body = check.body(
        request, "The body is an object with tenant.", ("tenant",), lambda it: f"A session has no '{it}' to change."
    )
    there = {"tenant": _tenant(request, body["tenant"])} if body.get("tenant") is not None else {}
    row = sessions.rows(request, id).change(id, lambda _: {"expiresMs": store.now_ms() + sessions.LASTS_MS, **there})
    store.forget_access(request)
    return Reply(200, sessions.shown(id, row, id))


def _tenant(request, said):
    """Of which he is a member."""
    if not isinstance(said, str) or said not in people.tenants_of(request, request.who.user):
        raise unknown("tenant", f"There is no tenant {check.shown(said)} that you belong to.")
    return said


def end(request):
    """That of who asks: signing out."""
    id = _own(request)
    sessions.end(request, request.who.require_user(), id)
    return Reply(204)


def end_another(request):
    user, id = request.who.require_user(), request.parameters.get("id")
    if not is_hash(id) or not sessions.end(request, user, id):
        raise unknown("session", "There is no such session, or it has ended.")
    return Reply(204)


def _own(request):
    if request.who.kind != "session" or not is_hash(request.who.id):
        raise denied("This is for a session; what was shown is none.")
    return request.who.id


handle = serve(
    {
        "getSession": (None, get),
        "listSessions": (None, list_sessions),
        "renewSession": (None, renew),
        "endSession": (None, end),
        "endAnotherSession": (None, end_another),
    }
)
