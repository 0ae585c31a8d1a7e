import pytest
from asking import EXECUTION


def test_lines_of_an_application(caller, platform):
    query = {"grain": "order", "limit": "10", "after": "7", "invocation": EXECUTION, "follow": "false"}
    caller("logs", "applicationLogs", {"app": "shop"}, query)
    asked = {"grain": "order", "limit": "10", "after": "7", "invocation": EXECUTION}
    assert platform.last == ("applicationLogs", {"parameters": {"app": "shop"}, "query": asked})


def test_lines_of_a_process_behind_the_last_one_that_was_seen(caller, platform):
    caller("logs", "processLogs", {"app": "shop", "process": "cart-7"}, {"after": "1"}, headers={"last-event-id": "42"})
    asked = {"limit": "1000", "after": "42"}
    assert platform.last == ("processLogs", {"parameters": {"app": "shop", "process": "cart-7"}, "query": asked})


def test_older_lines_with_a_text_of_a_level_and_a_stream(caller, platform):
    asked = {"text": "pear", "level": "warning", "stream": "stdout,stderr", "limit": "5", "before": "99"}
    caller("logs", "invocationLogs", {"app": "shop", "id": EXECUTION}, asked)
    assert platform.last == ("invocationLogs", {"parameters": {"app": "shop", "id": EXECUTION}, "query": asked})


def test_of_long_lines_there_are_fewer(caller, platform):
    platform.most = 100
    assert caller("logs", "invocationLogs", {"app": "shop", "id": EXECUTION}).status == 200
    assert platform.last[1]["query"] == {"limit": "62"}


@pytest.mark.parametrize(
    ("operation", "more", "query", "pointer", "detail"),
    [
        ("applicationLogs", {}, {"after": "x"}, "/query/after", "'x' is no number of a line."),
        ("applicationLogs", {}, {"invocation": "x"}, "/query/invocation", "'x' is no execution's id."),
        ("applicationLogs", {}, {"grain": "-"}, "/query/grain", None),
        ("applicationLogs", {}, {"limit": "10001"}, "/query/limit", None),
        ("applicationLogs", {}, {"before": "x"}, "/query/before", "'x' is no number of a line."),
        ("applicationLogs", {}, {"before": "2", "after": "1"}, "/query/before", None),
        ("applicationLogs", {}, {"text": ""}, "/query/text", None),
        ("applicationLogs", {}, {"level": "loud"}, "/query/level", None),
        ("applicationLogs", {}, {"stream": "stdout,"}, "/query/stream", None),
        ("applicationLogs", {}, {"follow": ""}, "/query/follow", None),
        (
            "processLogs",
            {"process": "a b"},
            {},
            "/parameters/process",
            "A process's id is [A-Za-z0-9._~-]{1,128}, neither '.' nor '..', not 'a b'.",
        ),
    ],
)
def test_odd_questions_are_refused(caller, platform, operation, more, query, pointer, detail):
    caller("logs", operation, {"app": "shop", **more}, query).refuses(pointer, detail)
    assert not platform.calls
