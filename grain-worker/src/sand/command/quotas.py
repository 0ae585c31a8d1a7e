"""`sand quotas …`: what there may be at most."""

import json
from typing import Any

import click

from sand.command.client import Platform
from sand.command.options import Size, output_option, server_option
from sand.command.output import say, show_json, show_table, size
from sand.command.tenant import path_of, tenant_option

# What is said in place of a number to take a limit away.
_NONE = "none"


class _Limit(click.ParamType):
    """What the other type converts, or `none`: that word stays, since None is an option that was not given."""

    def __init__(self, of: click.ParamType) -> None:
        self.of = of
        self.name = f"{of.name}|{_NONE}"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return _NONE if value == _NONE else self.of.convert(value, param, ctx)


@click.group("quotas", short_help="Show and set what there may be at most.")
def quotas_command() -> None:
    """How many applications there may be, how much they may use and store, and how fast they are asked.

    \b
    Examples:
      sand quotas show
      sand quotas set --applications 20 --requests-per-second 500 --instances 50
      sand quotas set --memory 4GiB --stored none
      sand quotas set --only
    """


@quotas_command.command("show")
@tenant_option
@output_option
@server_option
def show_quotas(tenant: str | None, as_json: bool, platform: Platform) -> None:
    """Show each limit, and how much of it is used where that is a number that stays."""
    found = platform.get(f"{path_of(tenant, platform)}/quotas")
    if as_json:
        show_json(found)
        return
    limits, use = found["limits"], found.get("use", {})
    show_table(["quota", "limit", "used"], [(name, _limit(name, limits[name]), _shown(name, use.get(name))) for name in limits])


def _limit(name: str, limit: int | None) -> int | str | None:
    return "no limit" if limit is None else _shown(name, limit)


def _shown(name: str, count: int | None) -> int | str | None:
    return size(count) if count and name.endswith("Bytes") else count


@quotas_command.command("set")
@click.option("--applications", type=_Limit(click.IntRange(0, 10_000)), help="How many there may be.")
@click.option(
    "--requests-per-second", type=_Limit(click.IntRange(0, 1_000_000)), help="Invocations and requests of pages, a frontend."
)
@click.option("--instances", type=_Limit(click.IntRange(0, 100_000)), help="That run at once, a host.")
@click.option("--memory", type=_Limit(Size()), help="Of all sandboxes, a host: 4GiB.")
@click.option("--stored", type=_Limit(Size()), help="Data, tables, objects and images of processes: 10GiB.")
@click.option("--only", is_flag=True, help="Take the limits away that are not named.")
@tenant_option
@output_option
@server_option
def set_quotas(
    applications: int | str | None,
    requests_per_second: int | str | None,
    instances: int | str | None,
    memory: int | str | None,
    stored: int | str | None,
    only: bool,
    tenant: str | None,
    as_json: bool,
    platform: Platform,
) -> None:
    """Set the limits that are named; the others stay. `none` takes one away. They hold within a second."""
    wanted = {
        "applications": applications,
        "requestsPerSecond": requests_per_second,
        "instances": instances,
        "memoryBytes": memory,
        "storedBytes": stored,
    }
    said = {name: None if limit == _NONE else limit for name, limit in wanted.items() if limit is not None}
    if not said and not only:
        raise click.UsageError("Name a limit to set, or say --only to take all of them away.")
    made = platform.call(
        "PUT",
        f"{path_of(tenant, platform)}/quotas",
        query=None if only else {"keep": "true"},
        body=json.dumps(said).encode(),
        headers={"Content-Type": "application/json"},
    ).json()
    if as_json:
        show_json(made)
        return
    say(", ".join(f"{name}: {_limit(name, limit)}" for name, limit in made["limits"].items()))
