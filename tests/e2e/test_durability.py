"""What was accepted is neither lost nor answered twice, whatever dies."""

import subprocess
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from conftest import APPLICATIONS, Tested, sandbox_option, until
from sand.command.local import LocalPlatform


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
                assert record["status"] == "SUCCEEDED", record
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
    """Events of its instances run again; every request gets its one answer. Killed twice: an event is run three times."""
    probe.ask("probe/double", {"number": 1})
    answers: list[httpx.Response] = []

    def load() -> None:
        answers.extend(probe.ask_all("probe/double", [{"number": number} for number in range(400)], at_once=8))

    loading = threading.Thread(target=load)
    loading.start()
    for _ in range(2):
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
