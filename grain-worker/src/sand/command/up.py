"""`sand up`: a platform on this machine, in the foreground."""

import ipaddress
import os
import socket
import sys
from pathlib import Path

import click

from sand.command.failure import ExitCode, Failure
from sand.command.output import say
from sand.command.program import JAVA_VERSION, MAIN_CLASS, class_path, default_home, ensure_docker, find_java, jvm_options


@click.command(
    "up",
    short_help="Start a platform on this machine.",
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
)
@click.option(
    "--home",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where it keeps everything.  [default: /var/lib/sand for root, else ~/.local/state/sand]",
)
@click.option("--listen", default="127.0.0.1:7263", show_default=True, metavar="HOST:PORT")
@click.option(
    "--sandbox",
    type=click.Choice(["auto", "docker", "process"]),
    envvar="SAND_SANDBOX",
    default="auto",
    show_default=True,
    help="Containers, or plain processes without isolation; auto: containers where Docker answers.",
)
@click.option("--options", is_flag=True, help="List the program's options, and start nothing.")
@click.pass_context
def up_command(context: click.Context, home: Path | None, listen: str, sandbox: str, options: bool) -> None:
    """Start a platform: frontend, host agent, embedded bus and store in one process. Ctrl-C drains and stops it.

    Options that this command does not know go to the program (--pool N, --secrets FILE, …): `sand up --options` lists them.
    Where --listen is reached from other machines, one of them has to be --operator-key FILE, unless somebody has an account.

    \b
    Examples:
      sand up
      sand up --listen 127.0.0.1:0 --sandbox process --home /tmp/sand
    """
    arguments = [*program(), "--help"] if options else command_line(home or default_home(), listen, sandbox, context.args)
    sys.stdout.flush()
    sys.stderr.flush()
    # The program takes this process's place: a signal to `sand up` is a signal to the platform.
    os.execv(arguments[0], arguments)


def program() -> list[str]:
    """A Java that is new enough, and the platform's program."""
    java = find_java()
    if java is None:
        raise Failure(
            ExitCode.PLATFORM_FAILED,
            f"no Java of version {JAVA_VERSION} or later was found",
            ("Install a JDK below /usr/lib/jvm, or set JAVA_HOME to it.",),
        )
    jars = class_path()
    return [str(java), *jvm_options(jars), "-cp", jars, MAIN_CLASS]


def is_this_machine_alone(listen: str) -> bool:
    """Where other machines reach it, sandboxes are plain processes only when that is said."""
    host = listen.rpartition(":")[0].strip("[]")
    try:
        found = socket.getaddrinfo(host, None)
    except (OSError, UnicodeError):
        return False
    return all(ipaddress.ip_address(address[4][0]).is_loopback for address in found)


def command_line(home: Path, listen: str, sandbox: str, more: list[str]) -> list[str]:
    """How the program is started, after Docker's engine was, when it is wanted."""
    begin = program()
    if sandbox != "process":
        problem = ensure_docker()
        if problem is not None and (sandbox == "docker" or not is_this_machine_alone(listen)):
            raise Failure(ExitCode.PLATFORM_FAILED, f"Docker's engine does not answer: {problem}")
        if problem is not None:
            say(f"warning: {problem}")
            say("warning: sandboxes are plain processes: applications can read each other's files and use the network")
        sandbox = "docker" if problem is None else "process"
    os.environ.setdefault("SAND_PYTHON", sys.executable)
    os.environ.setdefault("SAND_PYTHON_PATH", str(Path(__file__).resolve().parents[2]))
    try:
        home.mkdir(parents=True, exist_ok=True)
    except OSError as e:
        raise Failure(
            ExitCode.PLATFORM_FAILED, f"cannot make the home {home}: {e.strerror}", ("Name another with --home.",)
        ) from e
    return [*begin, "--home", str(home.resolve()), "--listen", listen, "--sandbox", sandbox, *more]
