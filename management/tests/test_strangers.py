"""Another tenant's application is not there: the same answer as for a name that nobody has, whatever is asked."""

import pytest
from asking import EXECUTION
from test_operations import ALL, DOCUMENTED

VALUES = {"app": "till", "version": "1", "alias": "live", "id": EXECUTION, "process": "p", "queue": "q", "trigger": "t"}
VALUES |= {"message": "m", "grain": "g", "event": "e", "workflow": "w", "secret": "S"}
BODIES = {"moveAlias": {"version": 1}}
QUERIES = {"compareVersions": {"to": "2"}}
OF_NO_APPLICATION = {"listApplications", "status", "listHosts", "listAudit", "listTopics"}
OTHERS = {"sign-up", "sign-in", "sessions", "account", "keys", "tenants", "members", "quotas"}
ASKED = [(grain, operation) for grain, operation, _ in ALL if operation not in OF_NO_APPLICATION and grain not in OTHERS]


@pytest.mark.parametrize(("grain", "operation"), ASKED)
@pytest.mark.parametrize("name", ["till", "nobodys", "0acme-till"])
def test_a_strangers_application_is_not_there(caller, platform, grain, operation, name):
    answer = caller(grain, operation, VALUES | {"app": name}, QUERIES.get(operation), BODIES.get(operation))
    assert (answer.status, answer.kind) == (404, "unknown-application")
    assert answer.body["detail"] == f"There is no application '{name}' here; deploy it first."


def test_none_is_left_out():
    documented = {operation for operation, one in DOCUMENTED.items() if one["x-sand"].get("plane") == "grain"}
    asked = {operation for _, operation in ASKED} | OF_NO_APPLICATION
    own = {operation for grain, operation, _ in ALL if grain in OTHERS}
    assert documented <= asked | own
