"""What who watches the emulator's console sees of an execution that fails."""

from sand.emulator.applications import Applications
from sand.emulator.inline import InlineGrains
from sand.messages import Payload
from sand.values import JSON


def test_a_failure_is_one_line_with_its_place(tmp_path):
    (tmp_path / "sand.yaml").write_text("name: app\n")
    (tmp_path / "grains/bad").mkdir(parents=True)
    (tmp_path / "grains/bad/handler.py").write_text("def handle(event, context):\n    return {}['no\\nkey']\n")
    shown = []
    applications = Applications(InlineGrains, shown.append)
    try:
        application, version = applications.load(tmp_path)
        execution = application.start(version, "bad", Payload(JSON, b"1"), 60_000)
        execution.thread.join()
        (line,) = (one for one in shown if one["stream"] == "platform")
        assert (line["grain"], line["level"], line["executionId"]) == ("bad", "error", execution.id)
        assert line["text"] == "FAILED: KeyError: 'no\\nkey' (handler.py:2)"
    finally:
        applications.close()
