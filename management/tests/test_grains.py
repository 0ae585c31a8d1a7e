import pytest

LIVE = {
    "application": "shop",
    "version": 2,
    "grains": {"order": {"timeoutMs": 30000}, "bill": {"timeoutMs": 1000}},
    "workflows": {},
}
ORDER = {"app": "shop", "grain": "order"}


@pytest.fixture(autouse=True)
def live(platform):
    platform.answers["describeApplication"] = 200, LIVE


def test_those_of_the_live_version(caller):
    answer = caller("grains", "listGrains", {"app": "shop"})
    shown = [{"name": "bill", "timeoutMs": 1000}, {"name": "order", "timeoutMs": 30000}]
    assert answer.body == {"application": "shop", "version": 2, "grains": shown}


def test_files_of_a_version(caller, platform):
    caller("grains", "listFiles", {"app": "shop", "version": "live"})
    assert platform.last == ("listFiles", {"parameters": {"app": "shop", "version": "live"}})


def test_an_event_is_kept_changed_and_deleted(caller):
    first = caller("grains", "putEvent", {**ORDER, "event": "tea"}, body={"input": {"item": "tea", "count": None}})
    assert (first.status, first.body["name"], first.body["input"]) == (200, "tea", {"item": "tea", "count": None})
    caller("grains", "putEvent", {**ORDER, "event": "tea"}, body={"input": None})
    caller("grains", "putEvent", {"app": "shop", "grain": "bill", "event": "other"}, body={"input": 1})
    events = caller("grains", "listEvents", ORDER).body["events"]
    assert [(event["name"], event["input"]) for event in events] == [("tea", None)]
    assert caller("grains", "deleteEvent", {**ORDER, "event": "tea"}).status == 204
    assert caller("grains", "listEvents", ORDER).body == {"events": []}
    again = caller("grains", "deleteEvent", {**ORDER, "event": "tea"})
    assert (again.status, again.kind) == (404, "unknown-event")


def test_of_a_grain_that_is_not_there_nothing_is_kept(caller):
    answer = caller("grains", "putEvent", {"app": "shop", "grain": "pay", "event": "tea"}, body={"input": 1})
    assert (answer.status, answer.kind) == (404, "unknown-target")


def test_a_hundred_are_kept_and_no_more(caller):
    bill = {"app": "shop", "grain": "bill"}
    for number in range(99):  # and that of the test before
        assert caller("grains", "putEvent", {**bill, "event": f"e{number}"}, body={"input": number}).status == 200
    over = caller("grains", "putEvent", {**bill, "event": "more"}, body={"input": 1})
    assert (over.status, over.body["limit"]) == (409, 100)
    assert caller("grains", "putEvent", {**bill, "event": "e1"}, body={"input": "changed"}).status == 200


@pytest.mark.parametrize(
    ("event", "body", "pointer"),
    [
        ("1", {"input": 1}, "/parameters/event"),
        ("e", {}, "/body/input"),
        ("e", {"input": 1, "x": 2}, "/body/x"),
        ("e", [], "/body"),
    ],
)
def test_odd_events_are_refused(caller, event, body, pointer):
    caller("grains", "putEvent", {**ORDER, "event": event}, body=body).refuses(pointer)


def test_an_event_that_is_too_large_is_refused(caller):
    over = caller("grains", "putEvent", {**ORDER, "event": "e"}, body={"input": "x" * (48 << 10)})
    assert (over.status, over.kind, over.body["actual"]) == (413, "body-too-large", (48 << 10) + 2)
