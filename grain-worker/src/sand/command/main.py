"""The command's entry point: the list of subcommands, and how any failure becomes an exit code."""

import difflib
import os
import sys
from typing import Any

import click

from sand.command.failure import ExitCode, Failure
from sand.command.key import DIRECT, key_file_option
from sand.command.output import say, show_json

EPILOG = """Exit codes: 0 ok, 1 the grain failed, 2 usage, 3 not found, 4 refused, 5 conflict, 6 throttled, 7 timed out,
70 the platform failed. Data goes to stdout, talk to stderr."""

# Subcommand → module: a module is imported when its subcommand is used, which keeps the command quick to start.
SUBCOMMANDS = {
    "init": "init",
    "up": "up",
    "dev": "dev",
    "emulate": "emulate",
    "deploy": "deploy",
    "invoke": "invoke",
    "events": "events",
    "logs": "logs",
    "ps": "hosts",
    "host": "hosts",
    "figures": "figures",
    "usage": "usage",
    "list": "applications",
    "describe": "applications",
    "delete": "applications",
    "invocations": "invocations",
    "triggers": "triggers",
    "queues": "queues",
    "versions": "versions",
    "rollback": "versions",
    "secrets": "secrets",
    "keys": "keys",
    "account": "account",
    "login": "account",
    "logout": "account",
    "quotas": "quotas",
    "tenant": "tenant",
    "data": "data",
    "audit": "audit",
    "doctor": "doctor",
    "asl": "asl",
}


class Subcommands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(SUBCOMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        module = SUBCOMMANDS.get(name)
        if module is None:
            return None
        imported = __import__(f"sand.command.{module}", fromlist=[name])
        return getattr(imported, f"{name}_command")

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as e:
            near = difflib.get_close_matches(args[0], SUBCOMMANDS, 1)
            raise click.UsageError(f"{e.message}{f' Did you mean {near[0]}?' if near else ''}", ctx) from None

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            # Click would end with 1, which says that a grain failed.
            raise EnoughRead from None


class EnoughRead(Exception):
    """Whoever read our output has enough of it."""


def _direct(_context: click.Context, _option: click.Parameter, asked: bool) -> None:
    """For whatever asks a platform in this program."""
    if asked:
        os.environ[DIRECT] = "true"


@click.command(cls=Subcommands, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="sand", prog_name="sand")
@click.option("--server", metavar="URL", hidden=True, expose_value=True)
@key_file_option
@click.option(
    "--direct",
    is_flag=True,
    expose_value=False,
    callback=_direct,
    help="By the platform itself, not by its management's grains.",
)
def sand(server: str | None) -> None:
    """Deploy and call applications of grains and workflows.

    \b
    sand init hello        write a small application
    sand up                start a platform on this machine
    sand deploy hello      deploy it
    sand invoke hello/greet --data '{"name": "Ada"}'
    """


def main() -> None:
    """Runs the command; never returns, never shows a traceback for something that can be said in a sentence."""
    try:
        sys.exit(sand.main(prog_name="sand", standalone_mode=False) or ExitCode.OK)
    except click.exceptions.Exit as e:
        sys.exit(e.exit_code)
    except click.ClickException as e:
        e.show()
        sys.exit(ExitCode.USAGE)
    except (click.Abort, KeyboardInterrupt):
        say("stopped")
        sys.exit(130)
    except Failure as e:
        if e.as_json:
            show_json(e.document())
        say(f"sand: {e.title}")
        for line in e.lines:
            say(f"  {line}".replace("\n", "\n  "))
        sys.exit(e.code)
    except (EnoughRead, BrokenPipeError):
        # What is still buffered has nowhere to go, at the end of the interpreter either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(ExitCode.OK)
