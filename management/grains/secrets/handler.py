"""Secrets of an application, write-only: what comes in is a box that the frontend sealed and no grain of the management opens,
and what goes out are names. Hosts read `secrets/<application>`, and `#` in it, which counts the changes."""

import re

from manage import Reply, check, expect, serve, store
from manage.reply import Problem, bad_request, unknown

NAME = r"[A-Z][A-Z0-9_]{0,62}"
_NAME = re.compile(NAME)
# Base 64 of a sealed value of 32 KiB.
LONGEST_BOX = 48 << 10
MOST = 100
CHANGES = "#"


def list_secrets(request):
    app = _application(request)
    shown = [{"name": name, **store.without_schema(row, "box")} for name, row in _rows(request, app).items() if name != CHANGES]
    return Reply(200, {"secrets": shown})


def put(request):
    app, name = _application(request), _name(request)
    body = check.body(
        request, "The body is an object with value.", ("value",), lambda it: f"A secret has no '{it}': it has value."
    )
    box = body.get("value")
    if not isinstance(box, str) or not 1 <= len(box) <= LONGEST_BOX:
        raise bad_request('"value" is the secret.', "/body/value")
    rows = _rows(request, app)
    if rows.get(name) is None and sum(1 for key, _ in rows.items() if key != CHANGES) >= MOST:
        detail = f"Application '{app}' has {MOST} secrets, which is the limit: delete one."
        raise Problem(409, "conflict", "Conflict", detail, limit=MOST)
    row = {"schema": store.SCHEMA, "box": box, "changedMs": store.now_ms(), "by": request.who.name}
    with rows.table.transaction() as all_of_it:
        all_of_it.put(name, row)
        all_of_it.add(CHANGES)
    return Reply(200, {"name": name, **store.without_schema(row, "box")})


def delete(request):
    app, name = _application(request), _name(request)
    rows = _rows(request, app)
    if rows.get(name) is None:
        raise unknown("secret", f"Application '{app}' has no secret {name}.")
    with rows.table.transaction() as all_of_it:
        all_of_it.delete(name)
        all_of_it.add(CHANGES)
    return Reply(204)


def _application(request):
    app = check.application(request)
    expect(request, "listVersions", {"app": app})
    return app


def _name(request):
    name = request.parameters.get("secret")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise bad_request(f"A secret's name is {NAME}, not '{name}'.", "/parameters/secret")
    return name


def _rows(request, app):
    """Under the name that hosts know the application by."""
    tenant = request.who.tenant
    return store.Rows(request, "secrets", app if tenant == "default" else f"0{tenant}-{app}")


handle = serve({"listSecrets": ("read", list_secrets), "putSecret": ("deploy", put), "deleteSecret": ("deploy", delete)})
