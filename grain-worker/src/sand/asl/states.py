"""Reads one state of a definition."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from sand.asl import definition as asl
from sand.asl import distribution, error_rules, known_services, limits, rules, service_fields, timestamps, tokens
from sand.asl.expressions import Template
from sand.asl.fields import Fields
from sand.asl.platform_services import service_of
from sand.asl.resources import grain_of, invokes_function, is_activity
from sand.asl.templates import ALL, INPUT, RESULT, WHOLE, Reader
from sand.asl.variable_names import VariableNames
from sand.asl.ways import Ways

MachineReader = Callable[[Fields, str, VariableNames], asl.StateMachine | None]


def query_language(fields: Fields) -> bool | None:
    """Whether it is JSONata; None when the field is absent or wrong."""
    language = fields.string("QueryLanguage")
    if language in (None, "JSONPath", "JSONata"):
        return None if language is None else language == "JSONata"
    fields.wrong("QueryLanguage", "The field QueryLanguage must be JSONPath or JSONata.")
    return None


def step_of(name: str) -> str:
    """With the characters escaped that separate parts of step names, so that no two states share a step."""
    return re.sub(r"[%/#>\[\]]", lambda found: f"%{ord(found[0]):x}", name)


class StateReader:
    """Of one state. ways: where this one leads to is added to them."""

    def __init__(
        self,
        name: str,
        fields: Fields,
        ways: Ways,
        variables: VariableNames,
        machine_is_jsonata: bool,
        machines: MachineReader,
    ) -> None:
        self._name = name
        self._fields = fields
        self._variables = variables
        self._machines = machines
        self._ways = ways
        fields.comment()
        own = query_language(fields)
        if machine_is_jsonata and own is False:
            message = "A state cannot be in JSONPath when the whole state machine is in JSONata."
            fields.report("QueryLanguage", "WRONG_QUERY_LANGUAGE", message)
        self._is_jsonata = machine_is_jsonata if own is None else own
        self._data = Reader(fields, self._is_jsonata)

    def read(self) -> asl.State | None:
        """None when the state is of no known type."""
        readers: dict[str, Callable[[], asl.State]] = {
            "Task": self._task,
            "Pass": self._pass,
            "Choice": self._choice,
            "Wait": self._wait,
            "Parallel": self._parallel,
            "Map": self._map,
            "Succeed": self._succeed,
            "Fail": self._fail,
        }
        type_ = self._fields.required_string("Type")
        if type_ is None:
            return None
        self._data.refuse_foreign()
        if type_ not in readers:
            *others, last = readers
            message = f"There is no state type {type_}; there are {', '.join(others)} and {last}."
            self._fields.wrong("Type", message)
            return None
        state = readers[type_]()
        self._fields.report_unknown(f"a state of type {type_}")
        return state

    # --- what states have in common

    def _common(self, next_: str | None, parameters: bool, selector: bool, has_assign: bool = True) -> dict[str, Any]:
        sight = RESULT if selector else INPUT
        return {
            "name": self._name,
            "step": step_of(self._name),
            "flow": self._data.flow(parameters, selector, sight),
            "assign": self._data.assign(sight, self._variables) if has_assign else None,
            "next": next_,
        }

    def _next(self) -> str | None:
        fields = self._fields
        is_end = fields.boolean("End", False)
        next_ = fields.string("Next")
        if "Next" in fields and is_end:
            fields.wrong("End", "A state has either Next or End, not both.")
        elif "Next" not in fields and not is_end:
            fields.report(None, "MISSING_FIELD", 'The state needs Next or "End": true.')
        self._lead(fields, "Next", next_)
        return next_

    def _lead(self, fields: Fields, field: str, target: str | None) -> None:
        if target is not None:
            self._ways.add(self._name, target, fields.at(field))

    def _errors(self) -> dict[str, Any]:
        return error_rules.read(self._data, self._variables, self._lead)

    # --- the types

    def _task(self) -> asl.State:
        fields = self._fields
        common = self._common(self._next(), True, True)
        resource = fields.required_string("Resource") or ""
        awaits_token = resource.endswith(tokens.SUFFIX)
        named = tokens.without(resource)
        service = service_of(named)
        grain = "" if service else grain_of(named) or ""
        required = known_services.required(resource)
        is_unknown = not service and known_services.is_unknown(resource)
        if service:
            service_fields.check(fields, service, self._is_jsonata, awaits_token)
        elif is_unknown:
            fields.wrong("Resource", f"The resource {resource} is not recognized: AWS has no such service integration.")
        elif invokes_function(named):
            service_fields.check_function(fields, self._is_jsonata)
        elif required:
            service_fields.check_required(fields, self._is_jsonata, required)
        if fields.string("Resource") is not None and not grain and not service and not is_unknown:
            wanted = "a grain's name, sand:grain:<name>, or the ARN of a Lambda function whose name is the grain's"
            if resource.strip():
                fields.report("Resource", "NOT_SUPPORTED", f"The resource {resource} is no grain: give {wanted}.")
            else:
                fields.wrong("Resource", f"The field Resource is empty: give {wanted}.")
        fields.at_most_one("TimeoutSeconds", "TimeoutSecondsPath")
        fields.at_most_one("HeartbeatSeconds", "HeartbeatSecondsPath")
        timeout_from, heartbeat_from = self._data.computed("TimeoutSeconds"), self._data.computed("HeartbeatSeconds")
        timeout = 0 if timeout_from else fields.integer("TimeoutSeconds", 1, limits.SECONDS, 0)
        heartbeat = 0 if heartbeat_from else fields.integer("HeartbeatSeconds", 1, limits.SECONDS, 0)
        if 0 < timeout <= heartbeat:
            fields.wrong("HeartbeatSeconds", "The field HeartbeatSeconds must be smaller than TimeoutSeconds.")
        credentials = self._credentials()
        return asl.Task(
            **common,
            **self._errors(),
            resource=resource,
            grain=grain,
            invokes_function=service is None and invokes_function(named),
            service=service,
            awaits_token=awaits_token,
            timeout_seconds=timeout,
            timeout=timeout_from,
            heartbeat_seconds=heartbeat,
            heartbeat=heartbeat_from,
            credentials=credentials,
            required=required,
        )

    def _credentials(self) -> Template | None:
        """As on AWS they name a role and nothing else. It is shown and has no effect: a grain has its application's rights."""
        credentials = self._fields.object("Credentials")
        if credentials is None:
            return None
        template = self._data.template("Credentials")
        if self._is_jsonata or "RoleArn.$" not in credentials:
            credentials.required_string("RoleArn")
        else:
            credentials.ignore("RoleArn.$")
        credentials.report_unknown("Credentials")
        resource = self._fields.raw("Resource")
        if isinstance(resource, str) and is_activity(resource):
            self._fields.wrong("Credentials", "The field Credentials is not for activities.")
        return template

    def _pass(self) -> asl.State:
        common = self._common(self._next(), True, False)
        has_result = not self._is_jsonata and "Result" in self._fields
        return asl.Pass(**common, result=(self._fields.raw("Result"),) if has_result else ())

    def _choice(self) -> asl.State:
        fields = self._fields
        fields.require("Choices")
        choices = fields.objects("Choices")
        if not choices and "Choices" in fields:
            fields.wrong("Choices", "The field Choices must be a non-empty array of rules.")
        branches = tuple(self._branch(Reader(one, self._is_jsonata, f"Choices[{at}]/")) for at, one in enumerate(choices))
        default = fields.string("Default")
        self._lead(fields, "Default", default)
        return asl.Choice(**self._common(default, False, False), branches=branches)

    def _branch(self, reader: Reader) -> asl.Branch:
        reader.refuse_foreign()
        output = reader.template("Output") if self._is_jsonata else None
        assign = reader.assign(INPUT, self._variables)
        rule = rules.condition(reader) if self._is_jsonata else rules.read(reader.fields, True)
        next_ = reader.fields.required_string("Next")
        self._lead(reader.fields, "Next", next_)
        return asl.Branch(rule, output, assign, next_ or "")

    def _wait(self) -> asl.State:
        fields = self._fields
        names = ["Seconds", "Timestamp"] if self._is_jsonata else ["Seconds", "SecondsPath", "Timestamp", "TimestampPath"]
        given = sum(name in fields for name in names)
        if given != 1:
            fields.ignore(*names)
            message = f"A Wait state needs exactly one of {', '.join(names)}."
            fields.report(None, "WRONG_VALUE" if given else "MISSING_FIELD", message)
        seconds_from, until_from = self._data.computed("Seconds"), self._data.computed("Timestamp")
        seconds = -1 if seconds_from else fields.integer("Seconds", 0, limits.SECONDS, -1)
        text = None if until_from else fields.string("Timestamp")
        until = None if text is None else timestamps.parse(text)
        if text is not None and until is None:
            fields.wrong("Timestamp", "The field Timestamp must be a timestamp such as 2016-08-18T17:33:00Z.")
        return asl.Wait(
            **self._common(self._next(), False, False),
            seconds=None if seconds < 0 else seconds,
            seconds_from=seconds_from,
            until_ns=until,
            until_from=until_from,
        )

    def _parallel(self) -> asl.State:
        fields = self._fields
        common = self._common(self._next(), True, True)
        fields.require("Branches")
        branches = [
            self._machines(branch, "a branch", self._variables.below(self._name)) for branch in fields.objects("Branches")
        ]
        if not branches and "Branches" in fields:
            fields.wrong("Branches", "The field Branches must be a non-empty array of state machines.")
        return asl.Parallel(**common, **self._errors(), branches=tuple(one for one in branches if one is not None))

    def _map(self) -> asl.State:
        fields = self._fields
        fields.at_most_one("ItemProcessor", "Iterator")
        fields.at_most_one("ItemSelector", "Parameters")
        fields.at_most_one("MaxConcurrency", "MaxConcurrencyPath")
        common = self._common(self._next(), False, True)
        is_older = "Parameters" in fields and not self._is_jsonata
        selector = self._data.template("Parameters" if is_older else "ItemSelector")
        is_distributed = self._configures("Mode", "DISTRIBUTED")
        processor = self._processor(is_distributed)
        items_path = None if self._is_jsonata else fields.definite_path("ItemsPath")
        concurrency_from = self._data.counted("MaxConcurrency")
        if self._is_jsonata and "Items" in fields:
            value = fields.raw("Items")
            if not isinstance(value, list | dict) and not rules.is_query(value):
                fields.report("Items", "WRONG_TYPE", "The field Items must be an array, an object, or a JSONata expression.")
        return asl.Map(
            **common,
            **self._errors(),
            items_path=items_path or WHOLE,
            items=self._data.template("Items") if self._is_jsonata else None,
            item_selector=selector,
            processor=processor,  # type: ignore[arg-type]
            max_concurrency=0 if concurrency_from else fields.integer("MaxConcurrency", 0, limits.COUNT, 0),
            concurrency=concurrency_from,
            distribution=distribution.read(
                fields, is_distributed, self._configures("ExecutionType", "EXPRESS"), self._is_jsonata
            ),
            is_misfit=not is_distributed and distribution.is_needed(fields),
        )

    def _configures(self, field: str, value: str) -> bool:
        processor = self._fields.raw("Iterator" if "Iterator" in self._fields else "ItemProcessor")
        configuration = processor.get("ProcessorConfig") if isinstance(processor, dict) else None
        return isinstance(configuration, dict) and configuration.get(field) == value

    def _processor(self, is_distributed: bool) -> asl.StateMachine | None:
        name = "Iterator" if "Iterator" in self._fields else "ItemProcessor"
        processor = self._fields.object(name) if self._fields.require(name) else None
        if processor is None:
            return None
        configuration = processor.object("ProcessorConfig")
        if configuration is not None:
            for field, values in (("Mode", ("INLINE", "DISTRIBUTED")), ("ExecutionType", ("STANDARD", "EXPRESS"))):
                if configuration.string(field) not in (None, *values):
                    configuration.wrong(field, f"The field {field} must be {' or '.join(values)}.")
            if is_distributed:
                configuration.require("ExecutionType")
            elif "ExecutionType" in configuration and self._configures("Mode", "INLINE"):
                configuration.wrong("ExecutionType", "The field ExecutionType is for the Mode DISTRIBUTED.")
            configuration.report_unknown("a ProcessorConfig")
        return self._machines(processor, "an item processor", self._variables.below(self._name))

    def _succeed(self) -> asl.State:
        return asl.Succeed(**self._common(None, False, False, has_assign=False))

    def _fail(self) -> asl.State:
        fields, data = self._fields, self._data
        fields.at_most_one("Error", "ErrorPath")
        fields.at_most_one("Cause", "CausePath")
        error = data.query("Error") if self._is_jsonata else fields.expression("ErrorPath")
        cause = data.query("Cause") if self._is_jsonata else fields.expression("CausePath")
        flow = asl.Flow(WHOLE, None, None, ALL, WHOLE, self._is_jsonata, None)
        return asl.Fail(
            self._name,
            step_of(self._name),
            flow,
            None,
            None,
            error=None if error and self._is_jsonata else fields.string("Error"),
            error_from=error,
            cause=None if cause and self._is_jsonata else fields.string("Cause"),
            cause_from=cause,
        )
