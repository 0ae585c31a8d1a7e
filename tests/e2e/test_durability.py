"""What was accepted is neither lost nor answered twice, whatever dies."""

import re
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from conftest import APPLICATIONS, Tested, sandbox_option, until
from sand.command.local import LocalPlatform
from scenario import FOLDER as SCENARIOS


@pytest.mark.slow
def test_kill_9_of_the_platform_loses_no_202():
    with tempfile.TemporaryDirectory(prefix="sand-", dir="/tmp") as folder:
        home = Path(folder)
        local = LocalPlatform(*sandbox_option(), home=home).start()
        try:
            tested = Tested(local)
            tested.deploy(APPLICATIONS / "probe")
            tested.ask("probe/store", {"do": "count", "key": "warm"})
            accepted = accept_until_killed(tested)
            assert len(accepted) >= 20
            local.start()
            tested = Tested(local)
            for invocation in accepted:
                record = tested.ended("probe", invocation)
                assert record["status"] == "SUCCEEDED", str(record)
            assert tested.ask("probe/echo", "goes on") == "goes on"
        finally:
            local.stop()


def accept_until_killed(tested: Tested) -> list[str]:
    """Asynchronous requests from four clients; the program is killed in their midst. The ids of all that got a 202."""
    accepted: list[str] = []
    enough = threading.Event()

    def client(number: int) -> None:
        for _ in range(1000):
            try:
                response = tested.invoke("probe/sleep", {"seconds": 0.02}, Prefer="respond-async")
            except httpx.TransportError:
                return
            if response.status_code == 202:
                accepted.append(response.headers["Sand-Execution-Id"])
            if len(accepted) >= 40:
                enough.set()

    with ThreadPoolExecutor(4) as clients:
        running = [clients.submit(client, number) for number in range(4)]
        assert enough.wait(60)
        tested.local.kill()
        for one in running:
            one.result()
    return accepted


@pytest.mark.slow
def test_a_worker_killed_under_load_loses_nothing(probe: Tested):
    """Events of its instances run again; every request gets its one answer. An event is run three times at the most, and with
    one worker it can be lost twice: under its instance, and handed to another that has gone too."""
    probe.ask("probe/double", {"number": 1})
    answers: list[httpx.Response] = []

    def load() -> None:
        answers.extend(probe.ask_all("probe/double", [{"number": number} for number in range(400)], at_once=8))

    loading = threading.Thread(target=load)
    loading.start()
    with suppress(LookupError, StopIteration, ProcessLookupError):  # it is being replaced just now
        probe.kill_worker("double")
    loading.join()
    assert [answer.text for answer in answers if answer.status_code != 200] == []
    assert [answer.json()["number"] for answer in answers] == [number * 2 for number in range(400)]


@pytest.mark.slow
def test_a_sandbox_that_dies_is_started_again(probe: Tested, docker: Tested):
    host = docker.ask("probe/whoami")["host"]
    running = docker.invoke("probe/sleep", {"seconds": 1}, Prefer="respond-async").headers["Sand-Execution-Id"]
    names = subprocess.run(["docker", "ps", "--format", "{{.Names}}"], capture_output=True, text=True, check=True).stdout
    (container,) = [name for name in names.split() if host in name]
    subprocess.run(["docker", "kill", container], check=True, capture_output=True)
    assert docker.ended("probe", running)["status"] == "SUCCEEDED"
    assert docker.ask("probe/whoami")["host"] != host


@pytest.mark.slow
def test_a_stop_lets_what_runs_end():
    with LocalPlatform(*sandbox_option()) as local:
        tested = Tested(local)
        tested.deploy(APPLICATIONS / "probe")
        tested.ask("probe/echo", 1)
        with ThreadPoolExecutor(1) as client:
            answer = client.submit(tested.invoke, "probe/sleep", {"seconds": 1})
            until(lambda: tested.running("probe", "sleep"), "it runs")
            local.stop()
            assert answer.result().json() == {"slept": 1}
        assert local.process.returncode in (0, 143)


@pytest.mark.slow
def test_dev_outlives_its_platform(tmp_path: Path):
    """`sand dev` beside a platform that is killed and started again: changes are deployed, and logs shown, as before."""
    folder = tmp_path / "lives"
    with tempfile.TemporaryDirectory(prefix="sand-", dir="/tmp") as home:
        local = LocalPlatform(*sandbox_option(), home=Path(home)).start()
        tested = Tested(local)
        tested.sand("init", str(folder), "--name", "lives")
        told = (tmp_path / "dev.err").open("wb")
        shown = (tmp_path / "dev.out").open("wb")
        command = [sys.executable, "-P", "-u", "-m", "sand.command", "dev", "--server", local.server, str(folder)]
        dev = subprocess.Popen(command, stdout=shown, stderr=told)
        try:
            until(lambda: tested.invoke("lives/greet", {"name": "Ada"}).status_code == 200, "the first version is there")
            until(lambda: b'who="Ada"' in (tmp_path / "dev.out").read_bytes(), "its log is shown")
            local.kill()
            change(folder, "Welcome")
            until(
                lambda: b"not deployed: no platform answers" in (tmp_path / "dev.err").read_bytes(), "dev says that it is away"
            )
            local.start()
            tested = Tested(local)
            assert tested.ask("lives/greet", {"name": "Bob"}) == {"greeting": "Hello, Bob!"}

            def changed() -> bool:
                change(folder, "Goodbye")
                return tested.ask("lives/greet", {"name": "Eve"}) == {"greeting": "Goodbye, Eve!"}

            until(changed, "a change is deployed again")
            until(lambda: b'who="Eve"' in (tmp_path / "dev.out").read_bytes(), "logs are shown again")
            # Killed right after its answer, it may have run once more: another line then, of another time.
            lines = [line for line in (tmp_path / "dev.out").read_bytes().splitlines() if b'who="Ada"' in line]
            assert len(lines) == len(set(lines))
            assert dev.poll() is None
        finally:
            dev.terminate()
            dev.wait()
            local.stop()
            told.close()
            shown.close()


def change(folder: Path, greeting: str) -> None:
    handler = folder / "grains/greet/handler.py"
    handler.write_text(re.sub('f"[A-Z][a-z]+, {name}!"', f'f"{greeting}, {{name}}!"', handler.read_text()))


@pytest.mark.slow
@pytest.mark.parametrize("begins", [{}, {"from": "First"}])
def test_a_redrive_survives_the_platform_before_and_after_its_answer(begins: dict[str, str]):
    with tempfile.TemporaryDirectory(prefix="sand-", dir="/tmp") as folder:
        local = LocalPlatform(*sandbox_option(), home=Path(folder)).start()
        try:
            tested = Tested(local)
            tested.deploy(SCENARIOS / "comeback")
            order = {"order": "a", "seconds": 0}
            invocation = tested.invoke("comeback/main", order, Prefer="respond-async").json()["executionId"]
            assert tested.ended("comeback", invocation)["status"] == "FAILED"
            local.kill()
            local.start()
            tested = Tested(local)
            tested.ask("comeback/mend", True)
            path = f"/api/v1/applications/comeback/invocations/{invocation}/redrive"
            answer = tested.http.post(path, json={"redriveCount": 1, **begins})
            assert answer.status_code == 202, answer.text
            local.kill()
            local.start()
            tested = Tested(local)
            record = tested.ended("comeback", invocation)
            assert (record["status"], record["redriveCount"]) == ("SUCCEEDED", 1), str(record)
            again = tested.http.post(path, json={"redriveCount": 1})
            assert (again.status_code, again.json()["status"]) == (202, "SUCCEEDED")
            first = tested.ask("comeback/seen", "a")["first"]
            assert first >= 2 if begins else first == 1  # what ran when it was killed may run again
            events = tested.http.get(path.replace("redrive", "history")).json()["events"]
            types = [event["type"] for event in events]
            assert types.count("ExecutionRedriven") == 1
            assert types.index("ExecutionFailed") + 1 == types.index("ExecutionRedriven")
            assert types[-1] == "ExecutionSucceeded"
        finally:
            local.stop()


@pytest.mark.slow
def test_a_redrive_has_the_large_values_of_before_wherever_it_runs():
    with tempfile.TemporaryDirectory(prefix="sand-", dir="/tmp") as folder:
        local = LocalPlatform(*sandbox_option(), home=Path(folder)).start()
        try:
            tested = Tested(local)
            tested.deploy(SCENARIOS / "comeback")
            order = {"order": "a", "pad": "y" * 400_000, "length": 700_000}
            invocation = tested.invoke("comeback/bulky", order, Prefer="respond-async").json()["executionId"]
            path = f"/api/v1/applications/comeback/invocations/{invocation}/redrive"
            for count in (1, 2):
                record = tested.ended("comeback", invocation)
                assert (record["status"], record["redriveCount"]) == ("FAILED", count - 1), str(record)
                assert record["failure"]["error"] == "RuntimeError", str(record)
                local.kill()
                local.start()
                tested = Tested(local)
                tested.ended("comeback", invocation)  # what had finished a moment before the kill may run again
                if count == 2:
                    tested.ask("comeback/mend", True)
                answer = tested.http.post(path, json={"redriveCount": count})
                assert answer.status_code == 202, answer.text
            local.kill()
            local.start()
            tested = Tested(local)
            record = tested.ended("comeback", invocation)
            assert (record["status"], record["redriveCount"]) == ("SUCCEEDED", 2), str(record)
            output = tested.http.get(f"/api/v1/applications/comeback/invocations/{invocation}/output").json()
            assert output == {"times": 1, "lengths": [400_000, 700_000]}
        finally:
            local.stop()
