"""What deploy/ ships holds together: compose files are what their description says, scripts parse, nginx takes its
configuration, versions agree, and `./sand cluster` speaks plainly. No container is started here."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

TOP = Path(__file__).resolve().parents[2]
DEPLOY = TOP / "deploy"
sys.path.insert(0, str(DEPLOY))

from cluster import __main__ as words  # noqa: E402
from cluster import compose, place, surroundings  # noqa: E402
from sand.command.failure import Failure  # noqa: E402


@pytest.mark.parametrize(("hosts", "file"), compose.FILES.items())
def test_the_shipped_compose_files_are_what_their_description_makes(hosts: int, file: str) -> None:
    assert (TOP / file).read_text() == compose.text(hosts, file), f"cd deploy && python -m cluster.compose {hosts} > ../{file}"


def test_every_part_is_bounded_comes_back_and_is_checked() -> None:
    for name, service in compose.compose(3)["services"].items():
        assert {"mem_limit", "pids_limit", "restart", "healthcheck", "logging", "stop_grace_period"} <= service.keys(), name
        assert service["labels"]["dev.sand.part"] == name


def test_only_host_agents_have_the_engines_socket_and_their_home_has_the_same_path_inside() -> None:
    for name, service in compose.compose(3)["services"].items():
        volumes = service.get("volumes", [])
        assert any("docker.sock" in volume for volume in volumes) == name.startswith("host"), name
        if name.startswith("host"):
            home = service["command"][service["command"].index("--home") + 1]
            assert f"{home}:{home}" in volumes


@pytest.mark.parametrize("name", ["cluster.key", "operator.key", "secrets.key"])
def test_a_secret_is_a_file_and_never_an_argument(tmp_path: Path, name: str) -> None:
    cluster = place.Cluster(tmp_path / "c", "sand-x", "containers", 1, "127.0.0.1:1", {})
    place.prepare(cluster, ["host1"])
    key = (cluster.home / name).read_text().strip()
    assert len(key) >= 43
    assert (cluster.home / name).stat().st_mode & 0o777 == 0o600
    cluster.save()
    assert key not in (cluster.home / "cluster.json").read_text() + compose.text(1, "x")
    place.prepare(cluster, ["host1"])
    assert (cluster.home / name).read_text().strip() == key
    assert cluster.operator_key_file.read_text() != cluster.key_file.read_text()


def test_clients_are_told_where_each_hosts_data_plane_is_published(tmp_path: Path) -> None:
    def addresses(listen: str) -> list[tuple[str, str]]:
        given = place.Cluster(tmp_path, "sand-x", "containers", 2, listen, {}).variables()
        return [(given[one], given[other]) for one, other in map(compose.data_variables, compose.host_names(2))]

    assert addresses("127.0.0.1:7263") == [("127.0.0.1:7271",) * 2, ("127.0.0.1:7272",) * 2]
    everywhere = addresses("0.0.0.0:80")
    assert [one for one, _ in everywhere] == ["0.0.0.0:88", "0.0.0.0:89"]
    assert not any(told.startswith("0.0.0.0") for _, told in everywhere)
    for name in compose.host_names(2):
        service = compose.host(name)
        assert service["command"][service["command"].index("--data-listen") + 1].endswith(f":{compose.DATA_PORT}")
        assert [port.endswith(f"}}:{compose.DATA_PORT}") for port in service["ports"]] == [True]


def test_what_listens_beyond_its_own_machine_asks_for_a_key() -> None:
    for name in compose.FRONTENDS:
        service = compose.frontend(name)
        file = service["command"][service["command"].index("--operator-key") + 1]
        assert any(volume.endswith(f":{file}:ro") for volume in service["volumes"])


def test_every_part_has_the_key_of_secrets() -> None:
    for service in (compose.host("host1"), *map(compose.frontend, compose.FRONTENDS)):
        file = service["command"][service["command"].index("--secrets-key") + 1]
        assert any(volume.endswith(f":{file}:ro") for volume in service["volumes"])


def test_hosts_and_frontends_are_told_the_same_of_the_management(tmp_path: Path) -> None:
    for service in (compose.host("host1"), *map(compose.frontend, compose.FRONTENDS)):
        assert service["command"][service["command"].index("--management") + 1] == "${SAND_MANAGEMENT:-on}"
    off = place.Cluster(tmp_path, "sand-x", "containers", 1, "127.0.0.1:1", {}, management="off")
    assert off.variables()["SAND_MANAGEMENT"] == "off"


def test_the_management_is_on_until_it_is_switched_off_and_stays_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAND_CLUSTER_KIND", "containers")
    assert words.wanted(tmp_path, None, None, None).management == "on"
    words.wanted(tmp_path, None, None, "off").save()
    assert words.wanted(tmp_path, None, None, None).management == "off"
    assert words.wanted(tmp_path, None, None, "on").management == "on"
    # One that was started before it was remembered.
    record = json.loads((tmp_path / "cluster.json").read_text())
    del record["management"]
    (tmp_path / "cluster.json").write_text(json.dumps(record))
    assert words.wanted(tmp_path, None, None, None).management == "on"


def test_what_the_management_requires_is_pinned() -> None:
    lines = (TOP / "management/requirements.txt").read_text().splitlines()
    assert lines and all(re.fullmatch(r"[a-z0-9-]+==[0-9.]+", line) for line in lines)


def test_a_cluster_is_remembered(tmp_path: Path) -> None:
    cluster = place.Cluster(tmp_path, "sand-x", "containers", 2, "127.0.0.1:7000", {"SAND_KAFKA_IMAGE": "k:1"}, {"kafka": 9})
    cluster.save()
    assert place.known(tmp_path) == cluster
    assert place.known(tmp_path / "other") is None


def test_a_home_whose_sockets_would_be_too_deep_is_refused() -> None:
    with pytest.raises(Failure, match="too deep"):
        place.check(Path("/" + "d" * 90), ["host1"])


def test_a_compose_file_has_from_one_to_sixteen_hosts() -> None:
    for hosts in (0, 17):
        with pytest.raises(ValueError, match="1 to 16"):
            compose.compose(hosts)


def test_slots_are_told_as_ranges() -> None:
    assert words.ranges([3, 0, 1, 2, 9]) == "0-3,9"
    assert words.ranges([]) == ""


def test_how_pip_reaches_packages_goes_into_host_agents_only(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    for name in list(os.environ):
        if surroundings.wanted(name):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "none"))
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    monkeypatch.setenv("UNRELATED", "/etc")
    service = surroundings.carried_into({"volumes": ["a:a"]})
    assert service["environment"]["PIP_FIND_LINKS"] == str(wheels)
    assert "UNRELATED" not in service["environment"]
    assert {"a:a", f"{wheels}:{wheels}:ro"} <= set(service["volumes"])


@pytest.mark.parametrize("script", [*sorted(DEPLOY.rglob("*.sh")), TOP / "sand", DEPLOY / "bin/sand-platform"])
def test_scripts_parse(script: Path) -> None:
    done = subprocess.run(["bash", "-n", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(shutil.which("nginx") is None, reason="nginx is not installed: the image's build tests its configuration")
def test_nginx_takes_its_configuration(tmp_path: Path) -> None:
    moves = {"/etc/nginx": str(tmp_path), "/var/log/nginx": str(tmp_path), "/tmp/nginx": f"{tmp_path}/n"}
    for file in (DEPLOY / "nginx/sand.conf", DEPLOY / "images/nginx/nginx.conf"):
        text = file.read_text()
        for there, here in moves.items():
            text = text.replace(there, here)
        (tmp_path / file.name).write_text(text)
    (tmp_path / "sand-frontends.inc").write_text("server 127.0.0.1:7263 max_fails=2 fail_timeout=5s;\n")
    done = subprocess.run(["nginx", "-t", "-q", "-c", tmp_path / "nginx.conf"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_nginx_never_repeats_what_may_have_run() -> None:
    server = re.sub(r"#.*", "", (DEPLOY / "nginx/sand.conf").read_text())
    assert "non_idempotent" not in server
    assert re.findall(r"proxy_next_upstream ([^;]+);", server) == ["error timeout", "off"]


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_systemd_takes_its_units() -> None:
    units = sorted((DEPLOY / "systemd").glob("*.service"))
    done = subprocess.run(["systemd-analyze", "verify", *units], capture_output=True, text=True, check=False)
    complaints = [line for line in done.stderr.splitlines() if "sand-" in line and "is not executable" not in line]
    assert not complaints


def test_the_compose_command_reads_the_files() -> None:
    yaml.safe_load((DEPLOY / "compose/one-host.yaml").read_text())
    if shutil.which("docker-compose") is None:
        pytest.skip("docker-compose is not installed")
    for file in compose.FILES.values():
        done = subprocess.run(["docker-compose", "-f", TOP / file, "config", "-q"], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
