"""One sandbox an application, one worker a grain, a fresh process a request (SAND 3.1)."""

import json
import subprocess

from conftest import APPLICATIONS, Tested, until


def test_every_request_has_a_process_of_its_own(probe: Tested):
    answers = [response.json() for response in probe.ask_all("probe/whoami", list(range(40)))]
    assert len({answer["pid"] for answer in answers}) == 40
    assert {answer["requests"] for answer in answers} == {1}
    assert len({answer["parent"] for answer in answers}) == 1


def test_an_instance_may_serve_many_when_the_grain_says_so(probe: Tested):
    answers = [probe.ask("probe/served", number) for number in range(20)]
    assert max(answer["requests"] for answer in answers) > 1
    assert len({answer["pid"] for answer in answers}) < 20


def test_the_grains_of_a_workflow_share_a_sandbox_and_nothing_else(probe: Tested):
    left, right = probe.ask("probe/fan", {})
    assert left["pid"] != right["pid"]
    assert left["host"] == right["host"]


def test_a_handler_knows_who_it_is(probe: Tested):
    assert probe.ask("probe/whoami")["context"] == {"application": "probe", "grain": "whoami", "attempt": 1}
    assert probe.ask("probe/configured") == {"COLOUR": "green"}


def test_one_container_an_application_and_one_worker_a_grain(probe: Tested, docker: Tested, tmp_path):
    second = tmp_path / "second"
    subprocess.run(["cp", "-r", APPLICATIONS / "probe", second], check=True)
    (second / "sand.yaml").write_text((second / "sand.yaml").read_text().replace("name: probe", "name: second"))
    docker.deploy(second)
    hosts = {name: {docker.ask(f"{name}/whoami")["host"] for _ in range(3)} for name in ("probe", "second")}
    assert len(hosts["probe"]) == len(hosts["second"]) == 1
    assert hosts["probe"] != hosts["second"]
    for name in ("probe", "second"):
        sandboxes = [found for found in docker.status()["sandboxes"] if found["application"] == name]
        assert len(sandboxes) == 1
        grains = [found["grain"] for found in sandboxes[0]["grains"]]
        assert len(grains) == len(set(grains))
    command = ["docker", "ps", "--format", "{{.Names}}"]
    containers = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    for (host,) in hosts.values():
        assert sum(host in name for name in containers) == 1


def test_a_sandbox_reaches_neither_files_nor_network_nor_other_processes(probe: Tested, docker: Tested):
    seen = docker.ask("probe/look", {"port": docker.local.port})
    assert "error" in seen["write"]
    assert "error" in seen["write_app"]
    assert "result" in seen["tmp"]
    assert "error" in seen["network"]
    assert "error" in seen["shadow"]
    assert seen["token"].get("result", "") == ""
    assert docker.java_pid not in seen["processes"] or max(seen["processes"]) < docker.java_pid
    assert probe.ask("probe/whoami")["uid"] != 0
    assert int(probe.ask("probe/whoami")["capabilities"], 16) == 0


def test_applications_do_not_see_each_others_data(probe: Tested, tmp_path):
    other = tmp_path / "other"
    subprocess.run(["cp", "-r", APPLICATIONS / "probe", other], check=True)
    (other / "sand.yaml").write_text((other / "sand.yaml").read_text().replace("name: probe", "name: other"))
    probe.deploy(other)
    probe.ask("probe/store", {"do": "put", "key": "mine", "value": {"secret": 1}})
    assert probe.ask("probe/store", {"do": "get", "key": "mine"}) == {"secret": 1}
    assert probe.ask("other/store", {"do": "get", "key": "mine"}) is None
    assert "mine" not in probe.ask("other/store", {"do": "list"})


def test_a_counter_counts_every_request_once(probe: Tested):
    responses = probe.ask_all("probe/store", [{"do": "count", "key": "visits"}] * 50)
    assert sorted(json.loads(response.text) for response in responses) == list(range(1, 51))


def test_a_workers_death_takes_nothing_else_down(probe: Tested):
    probe.ask("probe/echo", 1)
    other = probe.ask("probe/whoami")["parent"]
    probe.kill_worker("echo")
    assert probe.ask("probe/whoami")["parent"] == other
    assert until(lambda: probe.invoke("probe/echo", 2).status_code == 200, "the worker is started again")
