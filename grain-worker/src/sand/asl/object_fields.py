"""Reads the fields of a distributed Map that are about objects, ItemReader and ResultWriter, and works out what they say."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sand.asl import document, limits
from sand.asl.definition import Amount, ObjectReader, ResultWriter
from sand.asl.expressions import Template
from sand.asl.failure import ITEM_READER_FAILED, RESULT_WRITER_FAILED, StateError
from sand.asl.fields import Fields
from sand.asl.objects import Format, Source
from sand.asl.templates import INPUT, Reader, is_query

_DELIMITERS = {"COMMA": ",", "PIPE": "|", "SEMICOLON": ";", "SPACE": " ", "TAB": "\t"}
_USES = {
    "get": ("s3:getObject", "sand:object:get"),
    "list": ("s3:listObjectsV2", "sand:object:list"),
    "put": ("s3:putObject", "sand:object:put"),
}
ReadAmount = Callable[[Fields, str, int, int, bool, str], Amount | None]


def _is_named_by(use: str, resource: str) -> bool:
    service, own = _USES[use]
    return resource == own or (resource.startswith("arn:") and resource.endswith(f":states:::{service}"))


def _names(use: str) -> str:
    service, own = _USES[use]
    return f"arn:aws:states:::{service} or {own}"


# --- ItemReader


def reader(state: Fields, is_jsonata: bool, amount: ReadAmount) -> ObjectReader | None:
    """None when it is not given, or wrong."""
    fields = state.object("ItemReader")
    if fields is None:
        return None
    if "Items" in state:  # ItemsPath is passed over, as on AWS
        state.wrong("Items", "The items come from the ItemReader: Items has nothing to select from.")
    Reader(fields, is_jsonata).refuse_foreign()
    resource = fields.required_string("Resource")
    is_listing = resource is not None and _is_named_by("list", resource)
    if resource is not None and not is_listing and not _is_named_by("get", resource):
        message = f"An ItemReader reads with {_names('get')}, or lists with {_names('list')}; not with {resource}."
        fields.report("Resource", "NOT_SUPPORTED", message)
    parameters = _parameters(fields, is_jsonata, "ItemReader/")
    configuration = fields.object("ReaderConfig")
    flattens = _flattens(configuration, is_listing)
    form = None if is_listing and not flattens else _format(fields, configuration)
    if form is not None and flattens:
        form = replace(form, spread="LISTED")
    elif form is not None and configuration is not None:
        form = _manifest(configuration, form)
    max_items = None
    if configuration is not None:
        max_items = amount(configuration, "MaxItems", 0, limits.MAX_ITEMS, is_jsonata, "ItemReader/ReaderConfig/")
        if max_items is not None and max_items.source is not None:
            max_items = replace(max_items, least=-(1 << 53), most=1 << 53)  # judged when it is known, as on AWS
        configuration.report_unknown("a ReaderConfig")
    fields.report_unknown("an ItemReader")
    return ObjectReader(resource is not None and resource.startswith("arn:"), parameters, form, max_items)


def _parameters(fields: Fields, is_jsonata: bool, within: str) -> Template | None:
    name = "Arguments" if is_jsonata else "Parameters"
    if not fields.require(name):
        return None
    value = fields.raw(name)
    if not isinstance(value, dict) and not (is_jsonata and is_query(value)):
        fields.report(name, "WRONG_TYPE", f"The field {name} must be an object.")
        return None
    return Reader(fields, is_jsonata, within).template(name, INPUT)


def _flattens(configuration: Fields | None, is_listing: bool) -> bool:
    """Whether the items are in the objects that are listed, and are not these."""
    transformation = None if configuration is None else configuration.string("Transformation")
    if transformation not in (None, "NONE", "LOAD_AND_FLATTEN"):
        configuration.wrong("Transformation", "The field Transformation must be NONE or LOAD_AND_FLATTEN.")
    elif transformation == "LOAD_AND_FLATTEN" and not is_listing:
        configuration.wrong("Transformation", "LOAD_AND_FLATTEN is for objects that are listed.")
    elif is_listing and configuration is not None and "ManifestType" in configuration:
        configuration.ignore("ManifestType")
        configuration.wrong("ManifestType", "A ManifestType is for a manifest that is read, not for objects that are listed.")
    return transformation == "LOAD_AND_FLATTEN"


def _manifest(configuration: Fields, form: Format) -> Format:
    """With what the object lists, where it is a manifest."""
    kind = configuration.string("ManifestType")
    if kind not in (None, "S3_INVENTORY", "ATHENA_DATA"):
        configuration.wrong("ManifestType", "The field ManifestType must be S3_INVENTORY or ATHENA_DATA.")
    elif kind == "S3_INVENTORY" and form.spread != "INVENTORY":
        configuration.wrong("ManifestType", "A manifest of an S3 inventory has the InputType MANIFEST or none.")
    elif kind == "ATHENA_DATA" and (form.spread == "INVENTORY" or form.type == "JSON"):
        configuration.wrong("ManifestType", "ATHENA_DATA needs the InputType of the files: CSV or JSONL.")
    elif kind == "ATHENA_DATA":
        return replace(form, spread="PATHS")
    return form


def _format(reader: Fields, configuration: Fields | None) -> Format | None:
    kind = None if configuration is None else configuration.string("InputType")
    if kind is None and configuration is not None and configuration.raw("ManifestType") == "S3_INVENTORY":
        kind = "MANIFEST"
    if configuration is None or kind is None:
        if configuration is None or "InputType" not in configuration:
            message = "An ItemReader that reads an object needs the InputType of its ReaderConfig."
            reader.report(None, "MISSING_FIELD", message)
        return None
    match kind:
        case "CSV":
            return _csv(configuration)
        case "JSON":
            return Format("JSON", pointer=_pointer(configuration))
        case "JSONL":
            return Format("JSONL")
        case "MANIFEST":
            if configuration.raw("Transformation") != "LOAD_AND_FLATTEN":
                return Format("CSV", spread="INVENTORY")
            configuration.wrong("InputType", "Objects that are listed are no manifests: CSV, JSON and JSONL can be loaded.")
        case "PARQUET":
            configuration.ignore("ManifestType")
            if _asks_for_version(reader):
                return Format("PARQUET")
            message = "The InputType PARQUET is not supported: CSV, JSON, JSONL and MANIFEST are."
            configuration.report("InputType", "NOT_SUPPORTED", message)
        case _:
            configuration.ignore("ManifestType")
            configuration.wrong("InputType", "The field InputType must be CSV, JSON, JSONL or MANIFEST.")
    return None


def _asks_for_version(reader: Fields) -> bool:
    """Of a Parquet file AWS reads none: the execution fails there, so that nothing of it need be read here."""
    given = [reader.raw(name) for name in ("Parameters", "Arguments")]
    return any(isinstance(one, dict) and ("VersionId" in one or "VersionId.$" in one) for one in given)


def _csv(configuration: Fields) -> Format:
    location = configuration.required_string("CSVHeaderLocation")
    headers = None
    if location == "GIVEN":
        headers = _headers(configuration)
    elif location not in (None, "FIRST_ROW"):
        configuration.wrong("CSVHeaderLocation", "The field CSVHeaderLocation must be FIRST_ROW or GIVEN.")
    elif "CSVHeaders" in configuration:
        configuration.ignore("CSVHeaders")
        configuration.wrong("CSVHeaders", "CSVHeaders is only for the CSVHeaderLocation GIVEN.")
    delimiter = configuration.string("CSVDelimiter")
    if delimiter is not None and delimiter not in _DELIMITERS:
        configuration.wrong("CSVDelimiter", "The field CSVDelimiter must be COMMA, PIPE, SEMICOLON, SPACE or TAB.")
    return Format("CSV", _DELIMITERS.get(delimiter or "COMMA", ","), headers)


def _headers(configuration: Fields) -> tuple[str, ...]:
    if not configuration.require("CSVHeaders"):
        return ()
    given = configuration.raw("CSVHeaders")
    if not isinstance(given, list) or not given or not all(isinstance(header, str) for header in given):
        configuration.report("CSVHeaders", "WRONG_TYPE", "The field CSVHeaders must be a non-empty array of strings.")
        return ()
    return tuple(given)


def _pointer(configuration: Fields) -> tuple[str, ...]:
    pointer = configuration.string("ItemsPointer")
    if not pointer:
        return ()
    if not pointer.startswith("/"):
        message = "The field ItemsPointer must be a JSON Pointer, such as /orders/items."
        configuration.report("ItemsPointer", "INVALID_PATH", message)
        return ()
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in pointer[1:].split("/"))


# --- ResultWriter


def writer(state: Fields, is_jsonata: bool) -> ResultWriter | None:
    """None when it is not given, or wrong."""
    fields = state.object("ResultWriter")
    if fields is None:
        return None
    Reader(fields, is_jsonata).refuse_foreign()
    given = "Arguments" if is_jsonata else "Parameters"
    is_exported = "Resource" in fields or given in fields
    resource = fields.required_string("Resource") if is_exported else None
    if resource is not None and not _is_named_by("put", resource):
        message = f"A ResultWriter writes with {_names('put')}; not with {resource}."
        fields.report("Resource", "NOT_SUPPORTED", message)
    parameters = _parameters(fields, is_jsonata, "ResultWriter/") if is_exported else None
    configuration = fields.object("WriterConfig")
    if not is_exported and "WriterConfig" not in fields:
        message = f"A ResultWriter needs Resource and {given}, or WriterConfig, or all of them."
        fields.report(None, "MISSING_FIELD", message)
    transformation = "NONE" if is_exported else "COMPACT"
    is_lines = False
    if configuration is not None:
        name = configuration.string("Transformation")
        if name not in (None, "NONE", "COMPACT", "FLATTEN"):
            configuration.wrong("Transformation", "The field Transformation must be NONE, COMPACT or FLATTEN.")
        transformation = name or transformation
        is_lines = _is_lines(configuration, is_exported)
        configuration.report_unknown("a WriterConfig")
    fields.report_unknown("a ResultWriter")
    return ResultWriter(resource is not None and resource.startswith("arn:"), parameters, transformation, is_lines)


def _is_lines(configuration: Fields, is_exported: bool) -> bool:
    kind = configuration.string("OutputType")
    if kind not in (None, "JSON", "JSONL"):
        configuration.wrong("OutputType", "The field OutputType must be JSON or JSONL.")
    elif kind == "JSONL" and not is_exported:
        message = (
            "JSON Lines can be written into objects, and are no output of a state: give Resource and Parameters, or the"
            " OutputType JSON."
        )
        configuration.wrong("OutputType", message)
    return kind == "JSONL"


# --- when the Map's run has started


def source(given: ObjectReader, parameters: Any) -> Source:
    """Which object the items are in; or which objects they are. parameters: what those of the reader gave."""
    if given.format is not None and given.format.type == "PARQUET":
        raise StateError(ITEM_READER_FAILED, "S3 Version ID selection is not currently supported for PARQUET files")
    bucket = _text(parameters, "Bucket", not given.needs_bucket, ITEM_READER_FAILED)
    is_listing = given.format is None or given.format.lists
    name = _text(parameters, "Prefix" if is_listing else "Key", is_listing, ITEM_READER_FAILED)
    items = Source(bucket, name or "", given.format)
    if (size := len(items.key.encode("utf-8", "replace"))) > limits.OBJECT_KEY_BYTES:
        raise StateError(ITEM_READER_FAILED, f"A key of {size} bytes is over the limit of {limits.OBJECT_KEY_BYTES}")
    return replace(items, version=_version(parameters))


def _version(parameters: Any) -> int | None:
    if not isinstance(parameters, dict) or "VersionId" not in parameters:
        return None
    value = parameters["VersionId"]
    is_digits = isinstance(value, str) and re.fullmatch(r"[0-9]{1,18}", value)
    number = int(value) if is_digits else document.whole_number(value)
    if number is None or number <= 0:
        message = f"The VersionId of an object is a whole number from 1, not {document.write(value)}"
        raise StateError(ITEM_READER_FAILED, message)
    return number


def destination(given: ResultWriter, parameters: Any, run: str) -> tuple[str | None, str]:
    """The bucket, or None, and the folder of a run of the Map, by its id. parameters: what those of the writer gave."""
    bucket = _text(parameters, "Bucket", not given.needs_bucket, RESULT_WRITER_FAILED)
    prefix = _text(parameters, "Prefix", True, RESULT_WRITER_FAILED)
    folder = f"{'' if prefix is None else prefix if prefix.endswith('/') else f'{prefix}/'}{run}"
    key = folder if bucket is None else f"{bucket}/{folder}"
    if (size := len(key.encode("utf-8", "replace")) + limits.RESULT_NAME_BYTES) > limits.OBJECT_KEY_BYTES:
        cause = f"The keys of the results have up to {size} bytes; the limit is {limits.OBJECT_KEY_BYTES}"
        raise StateError(RESULT_WRITER_FAILED, cause)
    return bucket, folder


def _text(parameters: Any, name: str, is_optional: bool, error: str) -> str | None:
    value = parameters.get(name) if isinstance(parameters, dict) else None
    is_there = isinstance(parameters, dict) and name in parameters
    if not is_there and is_optional:
        return None
    if not isinstance(value, str) or (not value and not is_optional):
        told = document.write(value) if is_there else "missing"
        raise StateError(error, f"The field {name} must be a string{'' if is_optional else ' that is not empty'}, it is {told}")
    return value or None
