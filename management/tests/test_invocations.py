import pytest
from asking import EXECUTION

ONE = {"app": "shop", "id": EXECUTION}


def records(count):
    """A platform that has so many, each with its place for an id."""

    def answer(asked):
        query = asked["query"]
        begin = int(query["before"][1:], 32) if "before" in query else count
        last = max(0, begin - int(query["limit"]))
        return 200, {
            "invocations": [number for number in range(begin - 1, last - 1, -1)],
            "next": id_of(last) if last else None,
        }

    return answer


def id_of(number):
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUV"
    return "0" + "".join(digits[number >> (5 * place) & 31] for place in range(24, -1, -1))


def test_a_page_is_asked_for_in_parts(caller, platform):
    platform.answers["listInvocations"] = records(250)
    answer = caller(
        "invocations",
        "listInvocations",
        {"app": "shop"},
        {"limit": "230", "status": "FAILED", "target": "main", "process": "w1"},
    )
    assert answer.body == {"invocations": [*range(249, 19, -1)], "next": id_of(20)}
    assert [call[2]["query"]["limit"] for call in platform.calls] == ["100", "100", "30"]
    assert platform.calls[0][2]["query"] == {"limit": "100", "status": "FAILED", "target": "main", "process": "w1"}


def test_the_last_page_has_no_next(caller, platform):
    platform.answers["listInvocations"] = records(120)
    answer = caller("invocations", "listInvocations", {"app": "shop"}, {"limit": "1000"})
    assert (len(answer.body["invocations"]), answer.body["next"]) == (120, None)


def test_parts_get_smaller_when_they_are_large(caller, platform):
    platform.answers["listInvocations"] = records(40)
    platform.most = 10
    answer = caller("invocations", "listInvocations", {"app": "shop"})
    assert (len(answer.body["invocations"]), answer.body["next"]) == (40, None)


def test_one_that_is_too_large_is_told_as_that(caller, platform):
    platform.most = 0
    answer = caller("invocations", "listInvocations", {"app": "shop"})
    assert (answer.status, answer.kind, answer.body["error"]) == (413, "too-large", "Sand.TooLarge")


@pytest.mark.parametrize("operation", ["describeInvocation", "invocationTimeline"])
def test_one_invocation(caller, platform, operation):
    caller("invocations", operation, ONE)
    assert platform.last == (operation, {"parameters": ONE})


def test_a_history_is_joined_too(caller, platform):
    def events(asked):
        after, limit = int(asked["query"]["after"]), int(asked["query"]["limit"])
        page = [{"id": id} for id in range(after + 1, min(after + limit, 150) + 1)]
        return 200, {
            "executionId": EXECUTION,
            "status": "FAILED",
            "events": page,
            "next": page[-1]["id"] if page[-1]["id"] < 150 else None,
        }

    platform.answers["invocationHistory"] = events
    answer = caller("invocations", "invocationHistory", ONE, {"limit": "140", "reverse": "", "iteration": "Map[3]"})
    assert (len(answer.body["events"]), answer.body["next"], answer.body["status"]) == (140, 140, "FAILED")
    assert platform.last[1]["query"] == {"limit": "40", "after": "100", "reverse": "true", "iteration": "Map[3]"}


@pytest.mark.parametrize("id", ["", "x", EXECUTION.lower(), EXECUTION + "0", "8" + EXECUTION[1:]])
def test_what_is_no_execution_is_not_there(caller, platform, id):
    answer = caller("invocations", "describeInvocation", {"app": "shop", "id": id})
    assert (answer.status, answer.kind) == (404, "unknown-invocation")
    assert answer.body["detail"] == f"Application 'shop' has no invocation {id}, or has it no more."
    assert not platform.calls


@pytest.mark.parametrize(
    ("operation", "query", "pointer", "detail"),
    [
        ("listInvocations", {"limit": "0"}, "/query/limit", "Query parameter 'limit' is a number from 1 to 1000, not '0'."),
        ("listInvocations", {"limit": "ten"}, "/query/limit", "Query parameter 'limit' is a number from 1 to 1000, not 'ten'."),
        ("listInvocations", {"limit": "1001"}, "/query/limit", None),
        ("listInvocations", {"limit": "9" * 40}, "/query/limit", None),
        ("listInvocations", {"status": "failed"}, "/query/status", "'failed' is no status of an invocation."),
        ("listInvocations", {"target": "a.b"}, "/query/target", None),
        ("listInvocations", {"process": "a/b"}, "/query/process", None),
        (
            "listInvocations",
            {"before": "x"},
            "/query/before",
            "'x' is no execution's id: 'before' takes the 'next' of an earlier answer.",
        ),
        ("invocationHistory", {"after": "-1"}, "/query/after", None),
        ("invocationHistory", {"reverse": "yes"}, "/query/reverse", "Query parameter 'reverse' is true or false, not 'yes'."),
    ],
)
def test_odd_questions_are_refused(caller, platform, operation, query, pointer, detail):
    caller("invocations", operation, ONE, query).refuses(pointer, detail)
    assert not platform.calls
