"""Triggers of the live version: what fires by itself, whether it does, and who said so.

Each arming and disarming is noted (`armed/<tenant>`), the newest hundred of an application.
"""

from manage import Reply, ask, check, expect, serve, store
from manage.reply import unknown


def list_triggers(request):
    return ask(request, "listTriggers", {"app": check.application(request)})


def list_armings(request):
    """:returns: {"armings": [{"trigger", "armed", "atMs", "by"}, …]}, the newest first"""
    app = check.application(request)
    expect(request, "listTriggers", {"app": app})
    return Reply(200, {"armings": _notes(request).newest_first(app)})


def arm(request):
    return _arm(request, "armTrigger", True)


def disarm(request):
    return _arm(request, "disarmTrigger", False)


def _arm(request, operation, armed):
    app, trigger = check.application(request), request.parameters.get("trigger")
    if not check.is_name(trigger):
        raise unknown("trigger", f"Application '{app}' has no trigger '{trigger}'.")
    changed = ask(request, operation, {"app": app, "trigger": trigger})
    if changed.ok:
        with store.after_the_change(request):
            _notes(request).add(app, trigger=trigger, armed=armed)
    return changed


def _notes(request):
    return store.Notes(request, "armed", request.tenant)


handle = serve(
    {
        "listTriggers": ("read", list_triggers),
        "listArmings": ("read", list_armings),
        "armTrigger": ("deploy", arm),
        "disarmTrigger": ("deploy", disarm),
    }
)
