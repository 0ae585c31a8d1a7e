"""The pytest plugin, used as somebody who writes an application uses it: in a pytest of its own."""

import json
import textwrap

import pytest

pytestmark = pytest.mark.slow

pytest_plugins = ["pytester"]

WORKFLOW = {
    "StartAt": "Charge",
    "States": {
        "Charge": {
            "Type": "Task",
            "Resource": "charge",
            "Retry": [{"ErrorEquals": ["Busy"], "IntervalSeconds": 3600, "MaxAttempts": 2}],
            "Next": "Tell",
        },
        "Tell": {"Type": "Wait", "Seconds": 86400, "End": True},
    },
}
TESTS = """
    import pytest
    from sand.asl import NotSucceeded
    from sand.emulator.harness import CallFailed


    def test_a_grain_is_called_with_data_of_its_own(sand_application):
        assert sand_application.call("charge", {"sum": 3}) == {"paid": 3}
        assert sand_application.data.get("paid/3") is True


    def test_data_is_another_tests_own(sand_application):
        assert sand_application.data.list() == []
        sand_application.data.put("limit", 1)
        with pytest.raises(CallFailed) as refused:
            sand_application.call("charge", {"sum": 3})
        assert (refused.value.error, refused.value.cause) == ("TooMuch", "3 is over 1")


    def test_what_it_wrote_is_there(sand_application):
        result = sand_application.invoke("charge", {"sum": 2})
        assert (result.status, result.lines[0]["level"]) == ("SUCCEEDED", "info")
        assert [hop["grain"] for hop in result.hops] == ["charge"]


    def test_a_day_costs_nothing(sand_application):
        busy = {"raise": {"error": "Busy", "cause": "later"}}
        outcome = sand_application.workflow("pay", {"sum": 3}, stubs={"charge": [busy, {"return": "ok"}]})
        assert (outcome.status, outcome.output) == ("SUCCEEDED", "ok")
        assert outcome.states() == ["Charge", "Tell"]
        assert outcome.elapsed_ms == (3600 + 86400) * 1000
        assert [event.kind for event in outcome.history].count("RetryScheduled") == 1


    def test_a_grain_without_a_stub_is_called(sand_application):
        assert sand_application.workflow("pay", {"sum": 5}).plain_output() == {"paid": 5}


    def test_there_is_no_output_of_one_that_failed(sand_application):
        outcome = sand_application.workflow("pay", {"sum": 3}, stubs={"charge": {"raise": {"error": "Broke", "cause": "why"}}})
        with pytest.raises(NotSucceeded, match="FAILED: Broke: why") as raised:
            outcome.plain_output()
        assert (raised.value.error, raised.value.cause, raised.value.outcome) == ("Broke", "why", outcome)


    def test_a_stub_that_nothing_asks_for_is_refused(sand_application):
        with pytest.raises(KeyError, match="no task of workflow pay asks for the stub chrage; they ask for charge"):
            sand_application.workflow("pay", {"sum": 3}, stubs={"chrage": {"return": "ok"}})


    def test_it_is_served(sand_server):
        assert sand_server.post("/invoke/shop/charge", json={"sum": 1}).json() == {"paid": 1}
"""
CHARGE = """
    import limits


    class TooMuch(Exception):
        pass


    def handle(event, context):
        most = context.data.get("limit", limits.MOST)
        if event["sum"] > most:
            raise TooMuch(f"{event['sum']} is over {most}")
        context.logger.info("charged", sum=event["sum"])
        context.data.put(f"paid/{event['sum']}", True)
        return {"paid": event["sum"]}
"""


@pytest.mark.parametrize("options", [[], ["--sand-forked"]], ids=["inline", "forked"])
def test_an_applications_own_tests_pass(pytester: pytest.Pytester, options):
    for name, text in {
        "sand.yaml": "name: shop\n",
        "grains/charge/handler.py": textwrap.dedent(CHARGE),
        "limits.py": "MOST = 100\n",
        "workflows/pay.asl.json": json.dumps(WORKFLOW),
        "tests/test_shop.py": textwrap.dedent(TESTS),
    }.items():
        path = pytester.path / "shop" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    result = pytester.runpytest_subprocess("-q", "shop/tests", *options, timeout=120)
    result.assert_outcomes(passed=8)


ASKING = {
    "StartAt": "Ask",
    "States": {
        "Ask": {
            "Type": "Task",
            "Resource": "ask.waitForTaskToken",
            "Parameters": {"token.$": "$$.Task.Token", "sum.$": "$.sum"},
            "TimeoutSeconds": 3600,
            "End": True,
        }
    },
}
TOKEN_TESTS = """
    import pytest


    def test_it_is_answered_while_it_runs(sand_application):
        running = sand_application.start("approve", {"sum": 3})
        token = running.token()
        assert running.tokens() == [token]
        assert sand_application.heartbeat(token)
        assert sand_application.succeed(token, {"by": "ada"})
        assert running.result().output == {"by": "ada"}
        assert not sand_application.succeed(token, {"by": "bob"})


    def test_it_is_refused_while_it_runs(sand_application):
        running = sand_application.start("approve", {"sum": 3})
        assert sand_application.fail(running.token(), "Declined", "no")
        assert (running.result().error, running.result().cause) == ("Declined", "no")
        with pytest.raises(ValueError):
            sand_application.succeed("x.y")


    def test_a_week_costs_nothing(sand_application):
        late = sand_application.workflow("approve", {"sum": 3}, callbacks={"ask": {"success": 1, "seconds": 3601}})
        assert (late.status, late.error, late.elapsed_ms) == ("FAILED", "States.Timeout", 3_600_000)
        assert sand_application.data.get("asked") == 3


    def test_the_callback_is_reckoned_from_the_input(sand_application):
        given = {"ask": lambda task: {"success": task["sum"] * 2, "seconds": 60}}
        outcome = sand_application.workflow("approve", {"sum": 3}, callbacks=given)
        assert outcome.output == 6
        assert "TaskSubmitted" in [event.kind for event in outcome.history]


    def test_a_list_of_stubs_has_the_callback_too(sand_application):
        stubs, callbacks = {"ask": [{"return": None}]}, {"ask": {"success": 5}}
        assert sand_application.workflow("approve", {"sum": 3}, stubs, callbacks).output == 5
        assert sand_application.data.get("asked") is None


    @pytest.mark.parametrize("said", [{"sucess": 5}, None, "success", [None], {"success": 1, "seconds": "60"}])
    def test_what_says_nothing_is_refused(sand_application, said):
        with pytest.raises(ValueError, match="a callback cannot be used: /ask"):
            sand_application.workflow("approve", {"sum": 3}, callbacks={"ask": said})
        with pytest.raises(ValueError, match="a stub cannot be used: /ask/callback"):
            sand_application.workflow("approve", {"sum": 3}, stubs={"ask": {"return": 1, "callback": said}})
        assert sand_application.data.get("asked") is None
"""


def test_a_test_answers_a_token(pytester: pytest.Pytester):
    for name, text in {
        "sand.yaml": "name: asking\n",
        "grains/ask/handler.py": "def handle(event, context):\n    context.data.put('asked', event['sum'])\n",
        "workflows/approve.asl.json": json.dumps(ASKING),
        "tests/test_asking.py": textwrap.dedent(TOKEN_TESTS),
    }.items():
        path = pytester.path / "asking" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    pytester.runpytest_subprocess("-q", "asking/tests", timeout=120).assert_outcomes(passed=10)


PROCESS_TESTS = """
    import pytest
    from sand import SELF
    from sand.emulator.harness import CallFailed


    def test_a_cart_remembers(sand_application):
        cart = sand_application.process("cart-7")
        assert (cart.id, cart.status, cart.state, cart.messages) == ("cart-7", "active", {}, [])
        assert cart.invoke("put", "tea") == 1
        assert cart.invoke("put", "milk") == 2
        assert sand_application.process("cart-7").state == {"items": ["tea", "milk"]}
        assert sand_application.process("cart-8").state == {}


    @pytest.mark.parametrize("id", ["", ".", "..", "a b"])
    def test_an_id_that_is_none_is_told(sand_application, id):
        with pytest.raises(ValueError, match="and is neither '.' nor '..': '.*' is none"):
            sand_application.process(id)


    def test_its_state_survives_being_swapped(sand_application):
        cart = sand_application.process()
        cart.invoke("put", "tea")
        cart.swap_out()
        assert (cart.status, cart.state, cart.status) == ("swapped", {"items": ["tea"]}, "active")


    def test_what_fails_leaves_nothing(sand_application):
        cart = sand_application.process("cart")
        with pytest.raises(CallFailed) as failed:
            cart.invoke("put", "")
        assert (failed.value.error, cart.state, cart.run("put", "").status) == ("ValueError", {}, "FAILED")


    def test_messages_are_seen_and_invoke(sand_application):
        cart, bank = sand_application.process("cart"), sand_application.process("bank")
        cart.invoke("pay", "bank")
        sand_application.settle()
        assert bank.state == {"items": ["from cart"]}
        (note,) = cart.messages
        assert (note.source, note.key, note.data) == (SELF, "note", {"to": "bank"})
        cart.kill()
        assert sand_application.process("cart").messages == []
"""
PUT = """
    def handle(event, context):
        if not event:
            raise ValueError("nothing")
        items = [*context.process.state("items", default=[]), event]
        context.process.state("items", items)
        return len(items)
"""
PAY = """
    def handle(event, context):
        context.process.send(context.process.SELF, "note", {"to": event})
        context.process.send(event, "invoke:put:", f"from {context.process.id}")
"""


@pytest.mark.parametrize("options", [[], ["--sand-forked"]], ids=["inline", "forked"])
def test_a_test_looks_into_processes(pytester: pytest.Pytester, options):
    for name, text in {
        "sand.yaml": "name: carts\n",
        "grains/put/handler.py": PUT,
        "grains/pay/handler.py": PAY,
        "tests/test_carts.py": PROCESS_TESTS,
    }.items():
        path = pytester.path / "carts" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
    pytester.runpytest_subprocess("-q", *options, "carts/tests", timeout=120).assert_outcomes(passed=8)
