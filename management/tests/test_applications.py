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


def test_words_about_an_application_are_kept_until_it_goes(caller, platform):
    shop = {"app": "shop"}
    assert caller("applications", "describeAbout", shop).body == {"application": "shop", "description": ""}
    said = caller.of(user="ada")("applications", "changeAbout", shop, body={"description": "Sells tea.\n"})
    assert (said.status, said.body["description"], said.body["by"]) == (200, "Sells tea.\n", "ada")
    assert caller("applications", "describeAbout", shop).body == said.body
    platform.answers["deleteApplication"] = 204, None
    gone = caller("applications", "deleteApplication", shop)
    assert (gone.status, gone.body) == (204, None)
    assert caller("applications", "describeAbout", shop).body == {"application": "shop", "description": ""}


def test_a_deletion_that_failed_deletes_no_words(caller, platform):
    shop = {"app": "shop"}
    caller("applications", "changeAbout", shop, body={"description": "Sells tea."})
    platform.answers["deleteApplication"] = 503, {"type": "x"}
    assert caller("applications", "deleteApplication", shop).status == 503
    assert caller("applications", "describeAbout", shop).body["description"] == "Sells tea."


def test_two_tenants_words_are_apart(caller, platform):
    platform.applications["acme"].add("acme--shop")
    caller("applications", "changeAbout", {"app": "shop"}, body={"description": "ours"})
    theirs = caller.of(tenant="acme")("applications", "describeAbout", {"app": "acme--shop"})
    assert (theirs.status, theirs.body["description"]) == (200, "")


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ([], "/body"),
        ({}, "/body/description"),
        ({"description": 3}, "/body/description"),
        ({"description": "x" * 1001}, "/body/description"),
        ({"description": "\x1b[2J"}, "/body/description"),
        ({"description": "", "a/b~c": 1}, "/body/a~1b~0c"),
    ],
)
def test_odd_words_are_refused(caller, platform, body, pointer):
    caller("applications", "changeAbout", {"app": "shop"}, body=body).refuses(pointer)
    assert not platform.calls
