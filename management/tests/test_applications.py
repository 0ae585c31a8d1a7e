import pytest


def test_the_list_is_the_platforms(caller, platform):
    platform.answers["listApplications"] = 200, {"applications": [{"name": "shop", "versions": 1}]}
    answer = caller("applications", "listApplications", query={"limit": "'; drop", "x": "y"}, body={"never": "passed on"})
    assert (answer.status, answer.body) == (200, {"applications": [{"name": "shop", "versions": 1}]})
    assert platform.last == ("listApplications", {"parameters": {}})
    assert platform.calls[0][1] == "ticket of default"


@pytest.mark.parametrize(("grain", "operation"), [("applications", "listApplications"), ("hosts", "status")])
def test_the_platforms_own_is_shown_to_who_asks_for_it(caller, platform, grain, operation):
    caller(grain, operation, query={"system": "true"})
    assert platform.last == (operation, {"parameters": {}, "query": {"system": "true"}})
    caller(grain, operation, query={"system": "maybe"}).refuses("/query/system")


def test_only_what_was_checked_is_passed_on(caller, platform):
    parameters = {"app": "shop", "internal": "0sand-management", "version": "3"}
    assert caller("applications", "describeApplication", parameters, {"as": "operator"}).status == 200
    assert platform.last == ("describeApplication", {"parameters": {"app": "shop"}})


def test_a_problem_of_the_platforms_is_the_answer(caller, platform):
    away = {"type": "https://sand.dev/problems/unavailable", "status": 503, "detail": "the store is away"}
    platform.answers["describeApplication"] = 503, away
    answer = caller("applications", "describeApplication", {"app": "shop"})
    assert (answer.status, answer.body) == (503, away)
    assert answer.headers == {"content-type": "application/problem+json", "retry-after": "1"}


def test_what_is_kept_of_an_application_goes_with_it_and_not_before(caller, platform):
    shop = {"app": "shop"}
    platform.answers["moveAlias"] = 200, {"alias": "live", "version": 2}
    caller("aliases", "moveAlias", {**shop, "alias": "live"}, body={"version": 2})
    platform.answers["deleteApplication"] = 503, {"type": "x"}
    assert caller("applications", "deleteApplication", shop).status == 503
    assert len(caller("aliases", "listMoves", shop).body["moves"]) == 1
    platform.answers["deleteApplication"] = 204, None
    gone = caller("applications", "deleteApplication", shop)
    assert (gone.status, gone.body) == (204, None)
    assert caller("aliases", "listMoves", shop).body == {"moves": []}


def test_two_tenants_notes_are_apart(caller, platform):
    platform.applications["acme"].add("acme--shop")
    platform.answers["moveAlias"] = 200, {"alias": "live", "version": 2}
    caller("aliases", "moveAlias", {"app": "shop", "alias": "live"}, body={"version": 2})
    theirs = caller.of(tenant="acme")("aliases", "listMoves", {"app": "acme--shop"})
    assert (theirs.status, theirs.body) == (200, {"moves": []})
