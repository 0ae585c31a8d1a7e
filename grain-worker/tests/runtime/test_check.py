"""The import check: one answer a grain, whatever its import does."""

import json
import subprocess
import sys

import pytest


@pytest.fixture
def check(tmp_path):
    def run(grains: dict[str, str], preload: tuple[str, ...] = (), seconds: float = 30) -> list[dict]:
        app = tmp_path / "app"
        for name, code in grains.items():
            folder = app / "grains" / name
            folder.mkdir(parents=True)
            if code:
                (folder / "handler.py").write_text(code)
        question = {
            "grains": [
                {
                    "grain": name,
                    "entry": "handler:handle",
                    "path": [f"{app}/grains/{name}", str(app)],
                    "environment": {"MODE": "m"},
                }
                for name in grains
            ],
            "preload": preload,
            "path": [str(app)],
            "compile": str(app),
            "bytecode": str(tmp_path / "pyc"),
            "importSeconds": seconds,
        }
        file = tmp_path / "check.json"
        file.write_text(json.dumps(question))
        done = subprocess.run([sys.executable, "-m", "sand.check", str(file)], capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    return run


HANDLER = "def handle(event, context):\n    return event\n"


def test_what_imports_is_well_and_what_it_prints_is_no_answer(check):
    assert check({"a": "print('hello')\n" + HANDLER}, preload=("json",)) == [{"preload": "json"}, {"grain": "a"}]


def test_the_environment_of_the_grain_is_there(check):
    assert check({"a": "import os\nassert os.environ['MODE'] == 'm'\n" + HANDLER}) == [{"grain": "a"}]


def test_byte_code_is_left_for_the_bundle(check, tmp_path):
    check({"a": HANDLER})
    assert [file.name.split(".")[0] for file in (tmp_path / "pyc").rglob("*.pyc")] == ["handler"]


@pytest.mark.parametrize(
    ("code", "cause"),
    [
        ("import nothing_like_it", "No module named 'nothing_like_it'"),
        ("def handle(:", "SyntaxError"),
        ("import os; os._exit(3)", "exited with code 3"),
        ("import os; os.kill(os.getpid(), 11)", "signal 11"),
        ("while True: pass", "takes longer than 1 s"),
        ("async def handle(event, context): pass", "async def"),
        ("", "there is no module 'handler' in grains/bad"),
        ("raise SystemExit(0)", "SystemExit"),
    ],
)
def test_what_does_not_import_is_reported_and_the_next_is_checked(check, code, cause):
    bad, good = check({"bad": code, "good": HANDLER}, seconds=1 if "while" in code else 30)
    assert bad["grain"] == "bad"
    assert bad["error"] == "Sand.ImportFailed"
    assert cause in bad["cause"]
    assert good == {"grain": "good"}


def test_a_missing_preloaded_module_is_reported(check):
    assert "No module named 'not_there'" in check({"a": HANDLER}, preload=("not_there",))[0]["cause"]
