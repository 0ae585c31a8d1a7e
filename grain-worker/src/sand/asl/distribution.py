"""What a distributed Map has beyond an inline one: batches, and failures that are tolerated.

Each of its iterations is an execution of its own: with an input, variables and an event history of its own, and it fails alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sand.asl import document, limits
from sand.asl.definition import Amount, Batch, Distribution
from sand.asl.failure import runtime
from sand.asl.fields import Fields
from sand.asl.reference_path import Missing
from sand.asl.scopes import View, Visit
from sand.asl.templates import INPUT, Reader

EXCEEDED = "The specified tolerated failure threshold was exceeded"
_FIELDS = [
    "ItemReader",
    "ItemBatcher",
    "ResultWriter",
    "ToleratedFailureCount",
    "ToleratedFailureCountPath",
    "ToleratedFailurePercentage",
    "ToleratedFailurePercentagePath",
]


@dataclass(frozen=True, slots=True)
class MapRun:
    """A run of a distributed Map, with what its fields gave. A bound of None: there is none."""

    items_per_batch: float | None
    bytes_per_batch: float | None
    batch_input: tuple[Any, ...]
    tolerated_count: float | None
    tolerated_percentage: float | None

    @property
    def is_batched(self) -> bool:
        return self.items_per_batch is not None or self.bytes_per_batch is not None

    def is_exceeded_by(self, failed: int, all_items: int) -> bool:
        if self.tolerated_count is None and self.tolerated_percentage is None:
            return failed > 0
        if self.tolerated_count is not None and failed > self.tolerated_count:
            return True
        return self.tolerated_percentage is not None and failed * 100 > self.tolerated_percentage * all_items

    def batch_of(self, items: list[Any]) -> dict[str, Any]:
        return {**({"BatchInput": self.batch_input[0]} if self.batch_input else {}), "Items": items}


def begin(visit: Visit, distribution: Distribution, data: Any) -> MapRun:
    batch = distribution.batch
    view = View(visit, data)
    return MapRun(
        _amount(view, batch and batch.items),
        _amount(view, batch and batch.bytes),
        (document.checked(batch.input(view)),) if batch and batch.input else (),
        _amount(view, distribution.tolerated_count),
        _amount(view, distribution.tolerated_percentage),
    )


def _amount(view: View, amount: Amount | None) -> float | None:
    if amount is None or amount.source is None:
        return None if amount is None else amount.literal
    try:
        value = amount.source.evaluate(view)
    except Missing:
        raise runtime(f"The {amount.field} parameter does not reference an input value: {amount.source}") from None
    number = float(value) if document.is_number(value) else -1.0
    if amount.least <= number <= amount.most:
        return number
    expected = f"a number from {amount.least} to {amount.most}"
    query: Any = amount.source
    if hasattr(query, "mistyped"):
        raise query.out_of_bounds(expected, value) if document.is_number(value) else query.mistyped("number", value)
    raise runtime(f"The {amount.field} parameter must reference {expected}: {query} == {document.write(value)}")


# --- reading


def read(state: Fields, is_distributed: bool, is_jsonata: bool) -> Distribution | None:
    """None for an inline Map, of which each of these fields is a mistake."""
    if not is_distributed:
        state.ignore("Label")
        for name in _FIELDS:
            if name in state:
                state.ignore(name)
                state.wrong(name, f"The field {name} is only for a Map whose ProcessorConfig has the Mode DISTRIBUTED.")
        return None
    for name in ("ItemReader", "ResultWriter"):
        if name in state:
            state.ignore(name)
            message = f"The field {name} is not supported yet: items come from the state's input, and results go to its output."
            state.report(name, "NOT_SUPPORTED", message)
    label = state.string("Label")
    if label is not None and not 1 <= len(label) <= limits.MAP_LABEL_CHARS:
        state.wrong("Label", f"The field Label must have from 1 to {limits.MAP_LABEL_CHARS} characters.")
    batcher = state.object("ItemBatcher")
    return Distribution(
        None if batcher is None else _batch(batcher, is_jsonata),
        _read_amount(state, "ToleratedFailureCount", 0, limits.SECONDS, is_jsonata),
        _read_amount(state, "ToleratedFailurePercentage", 0, 100, is_jsonata),
    )


def _batch(fields: Fields, is_jsonata: bool) -> Batch:
    given = Reader(fields, is_jsonata, "ItemBatcher/").template("BatchInput", INPUT)
    items = _read_amount(fields, "MaxItemsPerBatch", 1, limits.SECONDS, is_jsonata)
    size = _read_amount(fields, "MaxInputBytesPerBatch", 1, limits.BATCH_BYTES, is_jsonata)
    if items is None and size is None:
        fields.report(None, "MISSING_FIELD", "An ItemBatcher needs MaxItemsPerBatch or MaxInputBytesPerBatch.")
    fields.report_unknown("an ItemBatcher")
    return Batch(given, items, size)


def _read_amount(fields: Fields, name: str, least: int, most: int, is_jsonata: bool) -> Amount | None:
    """None when it is not given."""
    fields.at_most_one(name, f"{name}Path")
    source = Reader(fields, is_jsonata).computed(name)
    if source is not None:
        return Amount(name if is_jsonata else f"{name}Path", 0, source, least, most)
    if name not in fields:
        return None
    if not name.endswith("Percentage"):
        return Amount(name, fields.integer(name, least, most, least), None, least, most)
    number = fields.number(name, least, least)
    if number > most:
        fields.wrong(name, f"The field {name} must be from {least} to {most}.")
    return Amount(name, number, None, least, most)
