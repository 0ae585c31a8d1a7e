"""Queues, their dead letters, triggers."""

import pytest

QUEUE = {"app": "shop", "queue": "orders"}
LETTER = {**QUEUE, "message": "01ABC.replay-2"}


def test_the_queues_of_an_application(caller, platform):
    caller("queues", "listQueues", {"app": "shop"})
    assert platform.last == ("listQueues", {"parameters": {"app": "shop"}})
    caller("queues", "listQueues", {"app": "shop"}, {"topics": "true"})
    assert platform.last == ("listQueues", {"parameters": {"app": "shop"}, "query": {"topics": "true"}})
    caller("queues", "listQueues", {"app": "shop"}, {"topics": "perhaps"}).refuses("/query/topics")


def test_what_waits_for_grains_on_hosts(caller, platform):
    caller("queues", "listLocalQueues", {"app": "shop"})
    assert platform.last == ("listLocalQueues", {"parameters": {"app": "shop"}})
    assert caller("queues", "listLocalQueues", {"app": "a/b"}).status == 404


def test_all_topics_are_for_the_operator(caller, platform):
    topics = [{"topic": name} for name in ("hosts", "journal.shop", "slots")]
    platform.answers["listTopics"] = 200, {"topics": topics, "next": None}
    assert caller("queues", "listTopics").body == {"topics": topics, "next": None}
    caller("queues", "listTopics", query={"limit": "2", "after": "hosts"})
    assert platform.last == ("listTopics", {"parameters": {}, "query": {"limit": "2", "after": "hosts"}})
    caller("queues", "listTopics", query={"limit": "1001"}).refuses("/query/limit")
    asked = len(platform.calls)
    answer = caller.of(scopes=("read", "deploy", "admin"))("queues", "listTopics")
    assert (answer.status, answer.kind, len(platform.calls)) == (403, "denied", asked)


def test_dead_letters_are_listed_in_parts(caller, platform):
    letters = [{"id": str(number)} for number in range(5)]

    def page(asked):
        begin = int(asked["query"].get("after", "-1")) + 1
        found = letters[begin : begin + int(asked["query"]["limit"])]
        return 200, {"deadLetters": found, "next": found[-1]["id"] if begin + len(found) < 5 else None}

    platform.answers["listDeadLetters"] = page
    platform.most = 2
    answer = caller("dead-letters", "listDeadLetters", QUEUE, {"limit": "4"})
    assert answer.body == {"deadLetters": letters[:4], "next": "3"}


@pytest.mark.parametrize("operation", ["dropDeadLetters", "replayDeadLetters"])
def test_all_of_them(caller, platform, operation):
    caller("dead-letters", operation, QUEUE, body={"filter": "*"})
    assert platform.last == (operation, {"parameters": QUEUE})


@pytest.mark.parametrize("operation", ["dropDeadLetter", "replayDeadLetter"])
def test_one_of_them(caller, platform, operation):
    caller("dead-letters", operation, LETTER)
    assert platform.last == (operation, {"parameters": LETTER})


@pytest.mark.parametrize(
    ("grain", "operation", "parameters", "kind"),
    [
        ("dead-letters", "listDeadLetters", {**QUEUE, "queue": "a/b"}, "unknown-queue"),
        ("dead-letters", "dropDeadLetter", {**LETTER, "message": "x" * 513}, "unknown-dead-letter"),
        ("triggers", "armTrigger", {"app": "shop", "trigger": ".."}, "unknown-trigger"),
    ],
)
def test_what_cannot_be_one_is_not_there(caller, platform, grain, operation, parameters, kind):
    answer = caller(grain, operation, parameters)
    assert (answer.status, answer.kind) == (404, kind)
    assert not platform.calls


def test_a_page_has_bounds(caller):
    caller("dead-letters", "listDeadLetters", QUEUE, {"limit": "0"}).refuses("/query/limit")


def test_who_armed_a_trigger_is_noted(caller, platform):
    nightly = {"app": "shop", "trigger": "nightly"}
    platform.answers["armTrigger"] = platform.answers["disarmTrigger"] = 200, {"name": "nightly"}
    assert caller.of(user="ada")("triggers", "disarmTrigger", nightly).body == {"name": "nightly"}
    assert platform.last == ("disarmTrigger", {"parameters": nightly})
    caller("triggers", "armTrigger", nightly)
    armings = caller("triggers", "listArmings", {"app": "shop"}).body["armings"]
    assert [(each["trigger"], each["armed"], each["by"]) for each in armings] == [
        ("nightly", True, "local"),
        ("nightly", False, "ada"),
    ]


def test_a_trigger_that_is_not_there_was_not_armed(caller, platform):
    platform.applications["default"].add("quiet")
    platform.answers["armTrigger"] = 404, {"type": "https://sand.dev/problems/unknown-trigger"}
    assert caller("triggers", "armTrigger", {"app": "quiet", "trigger": "hourly"}).status == 404
    assert caller("triggers", "listArmings", {"app": "quiet"}).body == {"armings": []}
