"""What a distributed Map has beyond an inline one: batches, and failures that are tolerated.

Each of its iterations is an execution of its own: with an input, variables and an event history of its own, and it fails alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from sand.asl import document, flow, limits, object_fields
from sand.asl.definition import Amount, Batch, Distribution, ResultWriter
from sand.asl.failure import ITEM_READER_FAILED, StateError, runtime
from sand.asl.fields import Fields
from sand.asl.path_walk import Missing
from sand.asl.templates import INPUT, Reader
from sand.asl.visits import View, Visit

_NOT_IN_A_LABEL = re.compile(r"""[\s?*<>{}\[\]:;,\\|^~$#%&`"\x00-\x1f\x7f-\x9f]""")
EXCEEDED = "The specified tolerated failure threshold was exceeded"
_FIELDS = ["ItemReader", "ItemBatcher", "ResultWriter"]


@dataclass(frozen=True, slots=True)
class MapRun:
    """A run of a distributed Map, with what its fields gave. A bound of None: there is none; of tolerated failures 0 is none
    either, as on AWS. reads, writes: the parameters of its ItemReader and ResultWriter, None where these have none."""

    is_express: bool
    reads: Any
    items_per_batch: float | None
    bytes_per_batch: float | None
    batch_input: tuple[Any, ...]
    tolerated_count: float | None
    tolerated_percentage: float | None
    writer: ResultWriter | None
    writes: Any
    max_items: float | None

    @property
    def is_batched(self) -> bool:
        return self.items_per_batch is not None or self.bytes_per_batch is not None

    @property
    def transformation(self) -> str:
        return "COMPACT" if self.writer is None else self.writer.transformation

    def is_exceeded_by(self, failed: int, all_items: int | None) -> bool:
        """all_items: None when it is not known yet, so that a share of them is not either."""
        if not self.tolerated_count and not self.tolerated_percentage:
            return failed > 0
        if self.tolerated_count and failed > self.tolerated_count:
            return True
        if not self.tolerated_percentage or all_items is None:
            return False
        return failed * 100 > self.tolerated_percentage * all_items

    def items_to_read(self) -> int:
        """How many there are at most. As on AWS, 0 is no bound, and what is computed may be beyond the largest."""
        if self.max_items is not None and self.max_items < 0:
            raise StateError(ITEM_READER_FAILED, "field MaxItems must be positive")
        return min(int(self.max_items or limits.MAX_ITEMS), limits.MAX_ITEMS)

    def batch_of(self, items: list[Any]) -> dict[str, Any]:
        return {**({"BatchInput": self.batch_input[0]} if self.batch_input else {}), "Items": items}


def begin(visit: Visit, distribution: Distribution, data: Any) -> MapRun:
    """What the state itself works out, in this order, before its run starts: as on AWS a fault in it is not the run's."""
    view = View(visit, data)
    reader, batch, writer = distribution.reader, distribution.batch, distribution.writer
    return MapRun(
        is_express=distribution.is_express,
        reads=None if reader is None else flow.filled(reader.parameters, view),
        items_per_batch=_amount(view, batch and batch.items),
        bytes_per_batch=_amount(view, batch and batch.bytes),
        batch_input=(document.checked(batch.input(view)),) if batch and batch.input else (),
        tolerated_count=_amount(view, distribution.tolerated_count),
        tolerated_percentage=_amount(view, distribution.tolerated_percentage),
        writer=writer,
        writes=None if writer is None or writer.parameters is None else flow.filled(writer.parameters, view),
        max_items=_amount(view, reader and reader.max_items),
    )


def _amount(view: View, amount: Amount | None) -> float | None:
    if amount is None or amount.source is None:
        return None if amount is None else amount.literal
    try:
        value = amount.source.evaluate(view)
    except Missing:
        raise runtime(f"The {amount.field} parameter does not reference an input value: {amount.source}") from None
    digits = document.digits(value) if amount.field.endswith("Path") else None
    number = float(value) if document.is_number(value) else None if digits is None else float(digits)
    kind = "float" if "Percentage" in amount.field else "integer"
    if number is not None and kind == "integer" and not number.is_integer():
        number = None
    if number is not None and amount.least <= number <= amount.most:
        return number
    query: Any = amount.source
    if hasattr(query, "mistyped"):
        expected = f"a number from {amount.least} to {amount.most}"
        raise query.out_of_bounds(expected, value) if document.is_number(value) else query.mistyped("number", value)
    if number is None:
        shown = value if isinstance(value, str) else document.write(value)
        raise runtime(f'The {amount.field} field refers to value "{shown}" which is not a valid {kind}: {query}')
    name = amount.field.removesuffix("Path")
    is_negative = kind == "integer" and amount.least == 0 and number < 0
    raise runtime(f"{name} cannot be negative." if is_negative else f"{name} must be between {amount.least} and {amount.most}.")


# --- reading


def read(state: Fields, is_distributed: bool, is_express: bool, is_jsonata: bool) -> Distribution | None:
    """None for an inline Map: as on AWS what it says of these has no effect, or fails it (`is_needed`), and is checked all the
    same."""
    tolerated_count = _read_amount(state, "ToleratedFailureCount", 0, limits.SECONDS, is_jsonata)
    tolerated_percentage = _read_amount(state, "ToleratedFailurePercentage", 0, 100, is_jsonata)
    label = state.string("Label")
    if label is not None and not 1 <= len(label) <= limits.MAP_LABEL_CHARS:
        state.wrong("Label", f"The field Label must have from 1 to {limits.MAP_LABEL_CHARS} characters.")
    elif label is not None and _NOT_IN_A_LABEL.search(label):
        state.wrong("Label", "The field Label may have no spaces, brackets, wildcards or other special characters.")
    batcher = state.object("ItemBatcher")
    reader, writer = object_fields.reader(state, is_jsonata, _read_amount), object_fields.writer(state, is_jsonata)
    batch = None if batcher is None else _batch(batcher, is_jsonata)
    if not is_distributed:
        return None
    return Distribution(is_express, label, reader, writer, batch, tolerated_count, tolerated_percentage)


def is_needed(state: Fields) -> bool:
    """Whether it has what is a distributed Map's alone. An inline one is taken with it, as on AWS, and fails."""
    return any(name in state for name in _FIELDS)


def _batch(fields: Fields, is_jsonata: bool) -> Batch:
    given = Reader(fields, is_jsonata, "ItemBatcher/").template("BatchInput", INPUT)
    items = _read_amount(fields, "MaxItemsPerBatch", 1, limits.SECONDS, is_jsonata, "ItemBatcher/")
    size = _read_amount(fields, "MaxInputBytesPerBatch", 1, limits.BATCH_BYTES, is_jsonata, "ItemBatcher/")
    if items is None and size is None:
        fields.report(None, "MISSING_FIELD", "An ItemBatcher needs MaxItemsPerBatch or MaxInputBytesPerBatch.")
    fields.report_unknown("an ItemBatcher")
    return Batch(given, items, size)


def _read_amount(fields: Fields, name: str, least: int, most: int, is_jsonata: bool, within: str = "") -> Amount | None:
    """None when it is not given. within: the state, of the object that has it."""
    fields.at_most_one(name, f"{name}Path")
    source = Reader(fields, is_jsonata, within).counted(name)
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
