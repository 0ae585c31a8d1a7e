import pytest


def moved(arguments):
    body = arguments["body"]
    alias = arguments["parameters"].get("alias") or body.get("alias", "live")
    return 200, {"application": "shop", "alias": alias, "version": body.get("version", 1)}


def test_a_move_is_made_and_noted(caller, platform):
    platform.answers |= {"moveAlias": moved, "rollback": moved, "deleteAlias": (204, None)}
    ada = caller.of(user="ada")
    assert ada("aliases", "moveAlias", {"app": "shop", "alias": "blue"}, body={"version": 3}).body["version"] == 3
    assert platform.last == ("moveAlias", {"parameters": {"app": "shop", "alias": "blue"}, "body": {"version": 3}})
    assert caller("aliases", "rollback", {"app": "shop"}, body={"alias": None}).body["alias"] == "live"
    assert platform.last == ("rollback", {"parameters": {"app": "shop"}, "body": {}})
    assert ada("aliases", "deleteAlias", {"app": "shop", "alias": "blue"}).status == 204
    moves = caller("aliases", "listMoves", {"app": "shop"}).body["moves"]
    assert [(move["alias"], move["version"], move["by"]) for move in moves] == [
        ("blue", None, "ada"),
        ("live", 1, "local"),
        ("blue", 3, "ada"),
    ]


def test_a_move_that_is_not_made_is_not_noted(caller, platform):
    platform.applications["default"].add("quiet")
    platform.answers["moveAlias"] = 404, {"type": "https://sand.dev/problems/unknown-version"}
    assert caller("aliases", "moveAlias", {"app": "quiet", "alias": "live"}, body={"version": 9}).status == 404
    assert caller("aliases", "listMoves", {"app": "quiet"}).body == {"moves": []}


def test_the_newest_hundred_are_kept(caller, platform):
    platform.applications["default"].add("busy")
    platform.answers["moveAlias"] = lambda asked: (200, {"alias": "live", "version": asked["body"]["version"]})
    for version in range(1, 103):
        caller("aliases", "moveAlias", {"app": "busy", "alias": "live"}, body={"version": version})
    moves = caller("aliases", "listMoves", {"app": "busy"}).body["moves"]
    assert [move["version"] for move in moves] == [*range(102, 2, -1)]


@pytest.mark.parametrize(
    ("operation", "parameters", "body", "pointer", "detail"),
    [
        (
            "moveAlias",
            {"alias": "1x"},
            {"version": 1},
            "/parameters/alias",
            "An alias is [A-Za-z][A-Za-z0-9_-]{0,62}, not '1x'.",
        ),
        ("moveAlias", {"alias": "x"}, 3, "/body", "The body is a JSON object that says which version."),
        ("moveAlias", {"alias": "x"}, None, "/body/version", '"version" is the number of a version, not missing.'),
        ("moveAlias", {"alias": "x"}, {"version": "3"}, "/body/version", '"version" is the number of a version, not "3".'),
        ("moveAlias", {"alias": "x"}, {"version": True}, "/body/version", '"version" is the number of a version, not true.'),
        ("moveAlias", {"alias": "x"}, {"version": 1 << 31}, "/body/version", None),
        ("moveAlias", {"alias": "x"}, {"version": 0}, "/body/version", None),
        ("rollback", {}, {"alias": 3}, "/body/alias", '"alias" is the name of an alias, not 3.'),
        ("rollback", {}, {"alias": "a b"}, "/body/alias", "An alias is [A-Za-z][A-Za-z0-9_-]{0,62}, not 'a b'."),
        ("rollback", {}, {"version": 1.5}, "/body/version", '"version" is the number of a version, not 1.5.'),
        ("deleteAlias", {"alias": "é"}, None, "/parameters/alias", None),
    ],
)
def test_what_is_no_alias_or_version_is_refused(caller, platform, operation, parameters, body, pointer, detail):
    caller("aliases", operation, {"app": "shop", **parameters}, body=body).refuses(pointer, detail)
    assert not platform.calls
