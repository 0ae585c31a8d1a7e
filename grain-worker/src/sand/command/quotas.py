"""`sand quotas …`: what there may be at most."""

import click

from sand.command.client import Platform
from sand.command.options import Size, output_option, server_option
from sand.command.output import say, show_json, show_table, size
from sand.command.tenant import path_of, tenant_option


@click.group("quotas", short_help="Show and set what there may be at most.")
def quotas_command() -> None:
    """How many applications there may be, how much they may use and store, and how fast they are asked.

    \b
    Examples:
      sand quotas show
      sand quotas set --applications 20 --requests-per-second 500 --instances 50
      sand quotas set --memory 4GiB --stored 10GiB
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
@click.option("--applications", type=click.IntRange(0, 10_000), help="How many there may be.")
@click.option("--requests-per-second", type=click.IntRange(0, 1_000_000), help="Invocations and requests of pages, a frontend.")
@click.option("--instances", type=click.IntRange(0, 100_000), help="That run at once, a host.")
@click.option("--memory", type=Size(), help="Of all sandboxes, a host: 4GiB.")
@click.option("--stored", type=Size(), help="Data, tables, objects and images of processes: 10GiB.")
@tenant_option
@output_option
@server_option
def set_quotas(
    applications: int | None,
    requests_per_second: int | None,
    instances: int | None,
    memory: int | None,
    stored: int | None,
    tenant: str | None,
    as_json: bool,
    platform: Platform,
) -> None:
    """Set the limits; what is not named has none. They hold within a second."""
    wanted = {
        "applications": applications,
        "requestsPerSecond": requests_per_second,
        "instances": instances,
        "memoryBytes": memory,
        "storedBytes": stored,
    }
    made = platform.send(
        "PUT", f"{path_of(tenant, platform)}/quotas", {name: limit for name, limit in wanted.items() if limit is not None}
    )
    if as_json:
        show_json(made)
        return
    say(", ".join(f"{name}: {_limit(name, limit)}" for name, limit in made["limits"].items()))
