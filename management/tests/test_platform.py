"""What is of the whole platform: hosts, the audit log, home, examples, workflows; and its refusals."""

from pathlib import Path

import pytest
import yaml
from asking import EXECUTION
from sand.errors import Denied, Overloaded, Unavailable
from sand.tables import Table, Transaction

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_hosts_in_full_and_in_short(caller, platform):
    status = {"frontend": {}, "hosts": [{"host": "h1", "draining": False, "problem": None, "sandboxes": []}]}
    platform.answers["status"] = 200, status
    assert caller("hosts", "status").body == status
    short = {"hosts": [{"host": "h1", "state": "draining", "slots": 3, "sandboxes": 1, "executions": 2, "events": 1}]}
    platform.answers["listHosts"] = 200, short
    assert caller("hosts", "listHosts").body == short


def test_the_audit_log(caller, platform):
    caller("audit", "listAudit", query={"application": "gone", "operation": "deploy", "before": EXECUTION, "user": "'"})
    query = {"application": "gone", "operation": "deploy", "before": EXECUTION, "limit": "50"}
    assert platform.last == ("listAudit", {"parameters": {}, "query": query})


@pytest.mark.parametrize(
    ("query", "pointer"),
    [({"before": "x"}, "/query/before"), ({"limit": "0"}, "/query/limit"), ({"application": "x" * 201}, "/query/application")],
)
def test_odd_questions_of_the_log_are_refused(caller, platform, query, pointer):
    caller("audit", "listAudit", query=query).refuses(pointer)
    assert not platform.calls


def test_figures_are_reckoned_from_the_newest_invocations(caller, platform):
    ended = [{"status": "SUCCEEDED", "startedMs": 1000, "endedMs": 1000 + took} for took in range(1, 100)]
    failed = {"status": "TIMED_OUT", "startedMs": 900, "endedMs": 1000}
    platform.answers["listInvocations"] = 200, {"invocations": [{"status": "RUNNING", "startedMs": 2000}, *ended, failed]}
    figures = caller("overview", "applicationFigures", {"app": "shop"}).body
    assert (figures["invocations"], figures["running"], figures["errors"], figures["errorRate"]) == (101, 1, 1, 0.01)
    assert (figures["p50Ms"], figures["p95Ms"], figures["p99Ms"], figures["sinceMs"]) == (50, 95, 99, 900)


def test_home_has_those_that_are_there_still(caller, platform):
    platform.answers["listApplications"] = 200, {"applications": [{"name": "shop"}, {"name": "till"}, {"name": "third"}]}
    platform.answers["listInvocations"] = 200, {"invocations": []}
    home = caller("overview", "getOverview", query={"applications": "2"}).body
    assert [each["name"] for each in home["applications"]] == ["shop"]
    assert (home["more"], home["applications"][0]["errorRate"], home["applications"][0]["p99Ms"]) == (1, None, None)


def test_examples_are_those_of_the_repository(caller, platform):
    platform.answers["listApplications"] = 200, {"applications": [{"name": "chat"}]}
    examples = caller("examples", "listExamples").body["examples"]
    assert [each["name"] for each in examples if each["deployed"]] == ["chat"]
    for each in examples:
        assert yaml.safe_load((EXAMPLES / each["name"] / "sand.yaml").read_text())["name"] == each["name"]


def test_workflows_of_the_live_version(caller, platform):
    workflows = {"main": {"definition": "{}", "timeoutMs": 5}}
    platform.answers["describeApplication"] = 200, {"application": "shop", "version": 2, "workflows": workflows}
    assert caller("workflows", "listWorkflows", {"app": "shop"}).body["workflows"] == [{"name": "main", "timeoutMs": 5}]
    one = caller("workflows", "describeWorkflow", {"app": "shop", "workflow": "main"}).body
    assert one == {"name": "main", "version": 2, "definition": "{}", "timeoutMs": 5}
    assert caller("workflows", "describeWorkflow", {"app": "shop", "workflow": "other"}).kind == "unknown-workflow"


def test_a_definition_is_looked_at(caller, platform):
    caller("workflows", "validateWorkflow", body={"definition": "{}", "grains": ["order"]})
    assert platform.last == ("validateWorkflow", {"parameters": {}, "body": {"definition": "{}", "grains": ["order"]}})
    caller("workflows", "validateWorkflow", body={"definition": {}}).refuses("/body/definition")
    caller("workflows", "validateWorkflow", body={"definition": "", "grains": ["a b"]}).refuses("/body/grains")
    assert caller("workflows", "validateWorkflow", body={"definition": "x" * (1 << 19)}).status == 413


@pytest.mark.parametrize(
    ("refusal", "status", "kind", "retryable"),
    [
        (Unavailable("the store is away"), 503, "unavailable", True),
        (Overloaded("64 calls are under way"), 429, "overloaded", True),
        (Denied("the ticket has expired"), 403, "denied", False),
    ],
)
def test_what_the_platform_refuses_is_told(caller, platform, refusal, status, kind, retryable):
    def refuse(_):
        raise refusal

    platform.answers["status"] = refuse
    answer = caller("hosts", "status")
    assert (answer.status, answer.kind, answer.body["retryable"], answer.body["source"]) == (
        status,
        kind,
        retryable,
        "platform",
    )
    assert answer.body["detail"] == str(refusal)
    assert "mayHaveRun" not in answer.body


def test_a_refusal_behind_what_was_done_says_so(caller, platform):
    def refuse(_):
        raise Denied("the ticket has expired")

    platform.answers |= {"listApplications": (200, {"applications": [{"name": "shop"}]}), "listInvocations": refuse}
    answer = caller("overview", "getOverview")
    assert (answer.status, answer.body["error"], answer.body["mayHaveRun"]) == (403, "Sand.Denied", True)


@pytest.mark.parametrize(
    ("grain", "operation", "parameters", "body", "done"),
    [
        ("aliases", "moveAlias", {"alias": "live"}, {"version": 2}, (200, {"alias": "live", "version": 2})),
        ("aliases", "rollback", {}, None, (200, {"alias": "live", "version": 1})),
        ("aliases", "deleteAlias", {"alias": "blue"}, None, (204, None)),
        ("triggers", "disarmTrigger", {"trigger": "nightly"}, None, (200, {"name": "nightly"})),
        ("applications", "deleteApplication", {}, None, (204, None)),
    ],
)
def test_what_is_done_stays_done_without_a_note(caller, platform, monkeypatch, grain, operation, parameters, body, done):
    def away(*_):
        raise Unavailable("the store is away")

    monkeypatch.setattr(Transaction, "commit", away)
    monkeypatch.setattr(Table, "delete", away)
    platform.answers[operation] = done
    answer = caller(grain, operation, {"app": "shop", **parameters}, body=body)
    assert (answer.status, answer.body) == done
