from sand.command.invocations import show_timeline


def hop(event_id: str, grain: str) -> dict:
    return {"eventId": event_id, "grain": grain, "attempt": 1, "queueMs": 0, "dispatchMs": 0, "runMs": 1, "busMs": 0}


def test_a_workflows_attempts_have_their_states(capsys):
    show_timeline({"hops": [hop("01JD/Scan[3]/How large%3f#2", "measure")]})
    heads, row = capsys.readouterr().out.splitlines()
    assert heads.split()[:2] == ["state", "grain"]
    assert row.startswith("Scan[3]/How large?#2  measure")


def test_a_grains_have_none(capsys):
    show_timeline({"hops": [hop("01JD/measure", "measure")]})
    assert capsys.readouterr().out.startswith("grain ")
