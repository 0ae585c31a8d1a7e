"""What is of the whole platform: hosts, the audit log, workflows; and its refusals."""

import pytest
from asking import EXECUTION
from sand.errors import Denied, Overloaded, Unavailable
from sand.tables import Table, Transaction


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


def test_workflows_of_the_live_version(caller, platform):
    found = {"application": "shop", "version": 2, "workflows": [{"name": "main", "timeoutMs": 5}]}
    platform.answers["listWorkflows"] = 200, found
    assert caller("workflows", "listWorkflows", {"app": "shop"}).body == found
    caller("workflows", "describeWorkflow", {"app": "shop", "workflow": "main"})
    assert platform.last == ("describeWorkflow", {"parameters": {"app": "shop", "workflow": "main"}})
    platform.calls.clear()
    caller("workflows", "describeWorkflow", {"app": "shop", "workflow": "../main"}).refuses("/parameters/workflow")
    assert not platform.calls


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

    platform.answers |= {"getUse": (200, {"hosts": [], "storedBytes": 0}), "listApplications": refuse}
    answer = caller("quotas", "getQuotas", {"tenant": "default"})
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
