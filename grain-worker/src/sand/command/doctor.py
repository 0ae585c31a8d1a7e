"""`sand doctor`: what this machine has of what a platform needs, each with what to do about it."""

import resource
import shutil
import socket
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import click
import httpx

from sand.command.client import DEFAULT_SERVER, Platform
from sand.command.failure import ExitCode, Failure
from sand.command.options import chosen_server, output_option
from sand.command.output import show_json, show_table
from sand.command.program import JAVA_VERSION, class_path, default_home, find_java, java_version

DEFAULT_LISTEN = "127.0.0.1:7263"
SOCKET_PATH_BYTES = 107
# run/<sandbox>/data.sock: what a home's path needs room for.
SOCKET_SUFFIX = "/run/sXXXXXXXXXX/data.sock"
FREE_BYTES = 2 << 30
OPEN_FILES = 4096


@dataclass(frozen=True)
class Finding:
    """One check: `ok`, `warning` (works, with less) or `failed`."""

    check: str
    result: str
    found: str
    advice: str = ""


@click.command("doctor", short_help="Check this machine: Java, Docker, image, ports, disk, limits.")
@click.option("--home", type=click.Path(path_type=Path), help="The platform's home.  [default: as of sand up]")
@click.option("--listen", metavar="HOST:PORT", help="Where it is to listen.  [default: as of sand up]")
@click.option(
    "--server", envvar="SAND_SERVER", show_envvar=True, metavar="URL", help="A platform that runs: is it there, and well?"
)
@output_option
@click.pass_context
def doctor_command(context: click.Context, home: Path | None, listen: str | None, server: str | None, as_json: bool) -> int:
    """Check what a platform needs of this machine, and say what to do where something is missing.

    With --server or SAND_SERVER the platform there is looked at too. Ends with 70 when a platform could not run here, or
    the one that was named is not well.
    """
    host, colon, port = (listen or DEFAULT_LISTEN).rpartition(":")
    if not colon or not host or not port.isdigit() or int(port) > 65_535:
        raise click.BadParameter(f"'{listen}' is not HOST:PORT, for example {DEFAULT_LISTEN}", param_hint="--listen")
    server = chosen_server(context, server)
    findings = examine(home or default_home(), listen or DEFAULT_LISTEN)
    if server:
        findings.insert(0, check_server(server))
    if as_json:
        show_json([vars(finding) for finding in findings])
    else:
        show_table(["check", "result", "found", "what to do"], [(f.check, f.result, f.found, f.advice) for f in findings])
    return ExitCode.PLATFORM_FAILED if any(f.result == "failed" for f in findings) else ExitCode.OK


def examine(home: Path, listen: str) -> list[Finding]:
    checks: list[Callable[[], Finding]] = [
        check_java,
        check_program,
        check_docker,
        check_image,
        lambda: check_port(listen),
        lambda: check_home(home),
        lambda: check_disk(home),
        check_open_files,
        check_memory,
    ]
    return [check() for check in checks]


def check_server(server: str) -> Finding:
    """Whether the platform that the other commands would talk to answers, and takes requests."""
    try:
        with Platform(server) as platform:
            status = platform.get("/api/v1/status")
    except Failure as e:
        return Finding("server", "failed", e.title, " ".join(e.lines))
    except (click.UsageError, ValueError):
        return Finding("server", "failed", f"{server} answers, but not as a platform does", "is it another program's address?")
    hosts = status.get("hosts", []) if isinstance(status, dict) else []
    running = sum(len(host.get("sandboxes", [])) for host in hosts)
    found = f"{server}: {len(hosts)} host{'s'[: len(hosts) != 1]}, {running} sandbox{'es'[: 2 * (running != 1)]}"
    if any(host.get("draining") for host in hosts):
        return Finding("server", "warning", f"{found}, stopping", "it takes no new requests")
    return Finding("server", "ok", found)


def check_java() -> Finding:
    java = find_java()
    if java is None:
        return Finding("java", "failed", "none", f"install a JDK {JAVA_VERSION} or later below /usr/lib/jvm, or set JAVA_HOME")
    return Finding("java", "ok", f"{java_version(java)} at {java}")


def check_program() -> Finding:
    try:
        return Finding("program", "ok", class_path().split(":")[0])
    except Failure as e:
        return Finding("program", "failed", e.title, " ".join(e.lines))


def check_docker() -> Finding:
    version = _told("docker", "version", "--format", "{{.Server.Version}}")
    if version is None:
        return Finding("docker", "warning", "no engine answers", "start dockerd; without it sandboxes are plain processes")
    return Finding("docker", "ok", f"engine {version}")


def check_image() -> Finding:
    made = _told("docker", "image", "inspect", "--format", "{{.Created}}", "sand-sandbox")
    if made is None:
        return Finding("image", "warning", "no sand-sandbox image", "run ./sand setup, or deploy/images/build.sh")
    return Finding("image", "ok", f"sand-sandbox of {made[:10]}")


def check_port(listen: str) -> Finding:
    host, _, port = listen.rpartition(":")
    try:
        with socket.create_server((host, int(port))):
            return Finding("port", "ok", f"{listen} is free")
    except OSError as e:
        if _is_platform(f"http://{listen}"):
            return Finding("port", "ok", f"a platform runs at {listen}")
        return Finding("port", "failed", f"{listen}: {e.strerror}", "give another address with --listen")


def check_home(home: Path) -> Finding:
    length = len(str(home.absolute()).encode()) + len(SOCKET_SUFFIX)
    if length > SOCKET_PATH_BYTES:
        return Finding("home", "failed", f"{home}: sockets below it have {length} bytes", "name a shorter path with --home")
    return Finding("home", "ok", str(home))


def check_disk(home: Path) -> Finding:
    existing = next(folder for folder in [home.absolute(), *home.absolute().parents] if folder.exists())
    free = shutil.disk_usage(existing).free
    found = f"{free / (1 << 30):.1f} GiB free at {existing}"
    if free < FREE_BYTES:
        return Finding("disk", "warning", found, "deployments need room: free some, or name another --home")
    return Finding("disk", "ok", found)


def check_open_files() -> Finding:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < OPEN_FILES:
        return Finding("open files", "warning", str(hard), f"raise the limit to {OPEN_FILES} or more (ulimit -n)")
    return Finding("open files", "ok", "no limit" if hard == resource.RLIM_INFINITY else str(hard))


def check_memory() -> Finding:
    lines = Path("/proc/meminfo").read_text().splitlines()
    available = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    found = f"{available / (1 << 30):.1f} GiB available"
    if available < 1 << 30:
        return Finding("memory", "warning", found, "the platform and one sandbox want about 1 GiB")
    return Finding("memory", "ok", found)


def _told(*command: str) -> str | None:
    """What a command prints, None when it fails or is not there."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, stdin=subprocess.DEVNULL, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def _is_platform(server: str = DEFAULT_SERVER) -> bool:
    try:
        return httpx.get(f"{server}/livez", timeout=2, trust_env=False).is_success
    except httpx.HTTPError:
        return False
