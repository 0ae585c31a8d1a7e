"""Grains of the live version, the files they are made of, and the events that people keep to try them with.

A kept event is a row (`events/<tenant>/<application>`, key `<grain>/<name>`): at most 100 a grain, 48 KiB each.
"""

from manage import Reply, ask, check, expect, serve, store
from manage.reply import Problem, bad_request, unknown

MOST = 100
MOST_BYTES = 48 << 10


def list_grains(request):
    app = check.application(request)
    live = expect(request, "describeApplication", {"app": app})
    shown = [{"name": name, **grain} for name, grain in sorted(live["grains"].items())]
    return Reply(200, {"application": app, "version": live["version"], "grains": shown})


def list_files(request):
    """Of a version. Their contents are not for grains: they may be large."""
    app = check.application(request)
    version = check.version(request, app, request.parameters.get("version"))
    return ask(request, "listFiles", {"app": app, "version": version})


def list_events(request):
    app, grain = _grain(request)
    rows = store.Rows(request, "events", request.tenant, app).items(f"{grain}/")
    return Reply(200, {"events": [_shown(key, row) for key, row in rows]})


def put_event(request):
    app, grain = _grain(request)
    name = _event(request)
    body = check.body(request, "The body is an object with input.", ("input",), lambda it: f"A kept event has no '{it}'.")
    if "input" not in body:
        raise bad_request('"input" is missing: what the grain is given.', "/body/input")
    size = len(check.shown(body["input"]).encode("utf-8", "replace"))
    if size > MOST_BYTES:
        detail = f"The input has {size} bytes, the limit is {MOST_BYTES}."
        raise Problem(413, "body-too-large", "The body is over the limit", detail, limit=MOST_BYTES, actual=size)
    rows = store.Rows(request, "events", request.tenant, app)
    key = f"{grain}/{name}"
    if rows.get(key) is None and sum(1 for _ in rows.items(f"{grain}/")) >= MOST:
        detail = f"Grain '{grain}' has {MOST} kept events, which is the limit: delete one."
        raise Problem(409, "conflict", "Conflict", detail, limit=MOST)
    row = {"input": body["input"], "changedMs": store.now_ms(), "by": request.who.name}
    rows.put(key, row)
    return Reply(200, _shown(key, row))


def delete_event(request):
    app, grain = _grain(request)
    name = _event(request)
    if not store.Rows(request, "events", request.tenant, app).delete(f"{grain}/{name}"):
        raise unknown("event", f"Grain '{grain}' has no kept event '{name}'.")
    return Reply(204)


def _grain(request):
    """The application and its grain in the path, which the live version has."""
    app, grain = check.application(request), request.parameters.get("grain")
    live = expect(request, "describeApplication", {"app": app})
    if not check.is_name(grain) or grain not in live["grains"]:
        detail = f"Version {live['version']} of application '{app}' has no grain '{grain}'."
        raise Problem(404, "unknown-target", "Unknown grain", detail)
    return app, grain


def _event(request):
    name = request.parameters.get("event")
    if not check.is_name(name):
        raise bad_request(f"A kept event's name is {check.NAME}, not '{name}'.", "/parameters/event")
    return name


def _shown(key, row):
    return {"name": key.partition("/")[2], **store.without_schema(row)}


handle = serve(
    {
        "listGrains": ("read", list_grains),
        "listFiles": ("read", list_files),
        "listEvents": ("read", list_events),
        "putEvent": ("deploy", put_event),
        "deleteEvent": ("deploy", delete_event),
    }
)
