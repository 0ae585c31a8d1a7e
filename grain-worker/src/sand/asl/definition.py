"""A definition, read and checked: every name in it is there. Trees of these are shared by all executions and never changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sand.asl.expressions import Expression, Template
from sand.asl.objects import Format
from sand.asl.paths import Path, View
from sand.asl.platform_services import Send, Start
from sand.asl.reference_path import ReferencePath

Rule = Callable[[View], bool]


@dataclass(frozen=True, slots=True)
class Flow:
    """How data goes through a state: input_path, parameters, the work, result_selector, result_path, output_path.

    A path that is None was written as null: an empty object, or nowhere. In JSONata, `parameters` are the Arguments, and
    `output` does the rest.
    """

    input_path: Path | None
    parameters: Template | None
    result_selector: Template | None
    result_path: ReferencePath | None
    output_path: Path | None
    is_jsonata: bool
    output: Template | None


@dataclass(frozen=True, slots=True)
class Retrier:
    errors: tuple[str, ...]
    interval_ms: int
    max_attempts: int
    backoff_rate: float
    max_delay_ms: int
    has_full_jitter: bool


@dataclass(frozen=True, slots=True)
class Catcher:
    """result_path: None for nowhere; output: JSONata's, None for the error itself."""

    errors: tuple[str, ...]
    result_path: ReferencePath | None
    output: Template | None
    assign: Template | None
    next: str


@dataclass(frozen=True, slots=True)
class State:
    """step: the name as a part of step names, with what separates these escaped; next: None when it ends its machine."""

    name: str
    step: str
    flow: Flow
    assign: Template | None
    next: str | None


@dataclass(frozen=True, slots=True)
class Work(State):
    """A state whose work can fail: a Task, Parallel or Map."""

    retriers: tuple[Retrier, ...]
    catchers: tuple[Catcher, ...]


@dataclass(frozen=True, slots=True)
class Task(Work):
    """service: what it asks of the platform; None: it calls a grain. awaits_token: it ends with a callback, and not with the
    grain; …_seconds: 0 for none; timeout, heartbeat: what computes them; credentials: an object, whose RoleArn is shown;
    required: what its parameters must have, as the service that it names requires, () where nothing is known."""

    resource: str
    grain: str
    invokes_function: bool
    service: Start | Send | None
    awaits_token: bool
    timeout_seconds: int
    timeout: Expression | None
    heartbeat_seconds: int
    heartbeat: Expression | None
    credentials: Template | None
    required: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Parallel(Work):
    branches: tuple[StateMachine, ...]


@dataclass(frozen=True, slots=True)
class Amount:
    """A number. field: what gives it; source: None when it is literal."""

    field: str
    literal: float
    source: Expression | None
    least: int
    most: int


@dataclass(frozen=True, slots=True)
class Batch:
    """How items are put together. input: what every batch has beside its items, or None."""

    input: Template | None
    items: Amount | None
    bytes: Amount | None


@dataclass(frozen=True, slots=True)
class ObjectReader:
    """needs_bucket: the resource has no objects without one; parameters: Bucket, Key and the like; format: of the object, None
    when objects are listed, and are the items."""

    needs_bucket: bool
    parameters: Template | None
    format: Format | None
    max_items: Amount | None


@dataclass(frozen=True, slots=True)
class ResultWriter:
    """parameters: Bucket and Prefix, None when results are not written but the state's; transformation: NONE (with what is
    known of their executions), COMPACT (as they are) or FLATTEN (those that are arrays taken apart)."""

    needs_bucket: bool
    parameters: Template | None
    transformation: str
    is_lines: bool


@dataclass(frozen=True, slots=True)
class Distribution:
    """What a distributed Map has beyond an inline one. label: what its executions are named by, None for the state's name;
    reader: None when the items are the input's; writer: None when results are the state's; batch: None for one item each.
    is_express: an iteration that is redriven begins anew, as an Express execution does.
    """

    is_express: bool
    label: str | None
    reader: ObjectReader | None
    writer: ResultWriter | None
    batch: Batch | None
    tolerated_count: Amount | None
    tolerated_percentage: Amount | None


@dataclass(frozen=True, slots=True)
class Map(Work):
    """items: JSONata's, None for the input; max_concurrency: 0 for no limit; distribution: None for an inline Map;
    is_misfit: an inline Map has fields that are a distributed one's alone, it fails when it is entered."""

    items_path: Path
    items: Template | None
    item_selector: Template | None
    processor: StateMachine
    max_concurrency: int
    concurrency: Expression | None
    distribution: Distribution | None
    is_misfit: bool


@dataclass(frozen=True, slots=True)
class Pass(State):
    """result: a list of the one value, or empty when the input is the result."""

    result: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Branch:
    """A rule of a Choice, and what follows from it."""

    rule: Rule
    output: Template | None
    assign: Template | None
    next: str


@dataclass(frozen=True, slots=True)
class Choice(State):
    """The Default is `next`."""

    branches: tuple[Branch, ...]


@dataclass(frozen=True, slots=True)
class Wait(State):
    """seconds, until_ns (since the epoch): None when not given so."""

    seconds: int | None
    seconds_from: Expression | None
    until_ns: int | None
    until_from: Expression | None


@dataclass(frozen=True, slots=True)
class Succeed(State):
    pass


@dataclass(frozen=True, slots=True)
class Fail(State):
    error: str | None
    error_from: Expression | None
    cause: str | None
    cause_from: Expression | None


@dataclass(frozen=True, slots=True)
class StateMachine:
    """timeout_seconds: of the whole execution, 0 for none."""

    start_at: str
    states: dict[str, State]
    timeout_seconds: int
