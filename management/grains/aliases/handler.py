"""Aliases: which version a name means, and who moved it when.

Each move is noted (`moves/<tenant>`), the newest hundred of an application, so that "who made this live?" has an answer.
"""

from manage import Reply, ask, check, expect, serve, store
from manage.reply import bad_request

EXPECTED = "The body is a JSON object that says which version."


def list_aliases(request):
    return ask(request, "listAliases", {"app": check.application(request)})


def list_moves(request):
    """:returns: {"moves": [{"alias", "version" (null: it was deleted), "atMs", "by"}, …]}, the newest first"""
    app = check.application(request)
    expect(request, "listAliases", {"app": app})
    return Reply(200, {"moves": _moves(request).newest_first(app)})


def move_alias(request):
    app, alias = check.application(request), _alias(request)
    version = _version(check.body(request, EXPECTED))
    moved = ask(request, "moveAlias", {"app": app, "alias": alias}, body={"version": version})
    return _noted(request, app, moved)


def rollback(request):
    """To the version that is named, or the one before the alias's."""
    app = check.application(request)
    body = check.body(request, EXPECTED)
    wish = {}
    if body.get("alias") is not None:
        if not isinstance(body["alias"], str):
            raise bad_request(f'"alias" is the name of an alias, not {check.shown(body["alias"])}.', "/body/alias")
        wish["alias"] = check.alias(body["alias"], "/body/alias")
    if body.get("version") is not None:
        wish["version"] = _version(body)
    return _noted(request, app, ask(request, "rollback", {"app": app}, body=wish))


def delete_alias(request):
    """But for `live`, which the platform keeps."""
    app, alias = check.application(request), _alias(request)
    gone = ask(request, "deleteAlias", {"app": app, "alias": alias})
    if gone.ok:
        with store.after_the_change(request):
            _moves(request).add(app, alias=alias, version=None)
    return gone


def _alias(request):
    return check.alias(request.parameters.get("alias"), "/parameters/alias")


def _version(body):
    given = check.shown(body["version"]) if "version" in body else "missing"
    return check.positive(body.get("version"), f'"version" is the number of a version, not {given}.', "/body/version")


def _noted(request, app, moved):
    if moved.ok:
        with store.after_the_change(request):
            _moves(request).add(app, alias=moved.body["alias"], version=moved.body["version"])
    return moved


def _moves(request):
    return store.Notes(request, "moves", request.tenant)


handle = serve(
    {
        "listAliases": ("read", list_aliases),
        "listMoves": ("read", list_moves),
        "moveAlias": ("deploy", move_alias),
        "rollback": ("deploy", rollback),
        "deleteAlias": ("deploy", delete_alias),
    }
)
