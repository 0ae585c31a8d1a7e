"""Random definitions with inputs and stubs, from a seed: what two engines of the States Language are compared on.

Nothing is drawn whose result an engine may choose: no clock, no order of calls among branches. Chance is the same in both.
"""

import random
from typing import Any

KEYS = ("a", "b", "c", "list", "text")
ERRORS = ("Busy", "Broken", "States.TaskFailed", "States.ALL", "States.Timeout", "States.Runtime")
TEXTS = ("", "x", "a,b,,c", "2024-02-29T12:00:00Z", "1", "é", "foo*bar", "A", "a\\b", "{}", "'")
NUMBERS = (0, 1, -1, -0.0, 2, 3, 10, 1.5, -0.25, 1e3, 12345678901234567890, 0.1)
COMPARATORS = {
    "String": TEXTS,
    "Numeric": NUMBERS,
    "Boolean": (True, False),
    "Timestamp": ("2024-02-29T12:00:00Z", "2020-01-01T00:00:00.5+02:00"),
}
ORDERS = ("Equals", "LessThan", "GreaterThan", "LessThanEquals", "GreaterThanEquals")


class RandomWorkflows:
    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._names = 0
        self._grains: dict[str, Any] = {}

    def case(self) -> dict[str, Any]:
        """As a line of `sand asl run --batch`."""
        self._names, self._grains = 0, {}
        is_jsonata = self._chance(0.4)
        definition = self._machine(3, is_jsonata)
        if is_jsonata:
            definition["QueryLanguage"] = "JSONata"
        if self._chance(0.1):
            definition["TimeoutSeconds"] = self._one((1, 5, 60))
        return {"definition": definition, "input": self._object(3), "grains": self._grains}

    # --- values

    def _chance(self, probability: float) -> bool:
        return self._random.random() < probability

    def _one(self, among: Any) -> Any:
        return self._random.choice(among)

    def _value(self, depth: int) -> Any:
        kind = self._random.randrange(8 if depth > 0 else 5)
        if kind < 5:
            return (None, self._one((True, False)), self._one(NUMBERS), self._one(TEXTS), self._random.randrange(100))[kind]
        return self._object(depth) if kind < 7 else [self._value(depth - 1) for _ in range(self._random.randrange(4))]

    def _object(self, depth: int) -> dict[str, Any]:
        value = {key: self._value(depth - 1) for key in self._random.sample(KEYS, self._random.randrange(1, 5))}
        if self._chance(0.6):
            value["list"] = [self._value(depth - 1) for _ in range(self._random.randrange(5))]
        return value

    # --- JSONPath

    def _reference(self) -> str:
        return "$" + "".join(
            self._one((f".{self._one(KEYS)}", f"['{self._one(KEYS)}']", ".list[0]", ".list[-1]"))
            for _ in range(self._random.randrange(3))
        )

    def _path(self) -> str:
        rest = ("[*]", "[0:2]", "[-2:]", "[?(@.a == 1)]", "[?(@.a)].b", "[?(@.b > 1)]", "[0,1]", ".*", "..a", "[*].a")
        return self._reference() + (self._one(rest) if self._chance(0.2) else "")

    def _argument(self, depth: int) -> str:
        literals = ("'x'", "1", "2", "0", "true", "null", "'a,b'", "-1", "1.5", "'{}'")
        kind = self._random.randrange(3 if depth > 0 else 2)
        return self._one(literals) if kind == 0 else self._reference() if kind == 1 else self._intrinsic(depth - 1)

    def _intrinsic(self, depth: int) -> str:
        name, count = self._one(
            (
                ("Format", 2),
                ("StringToJson", 1),
                ("JsonToString", 1),
                ("StringSplit", 2),
                ("Base64Encode", 1),
                ("Base64Decode", 1),
                ("Array", 2),
                ("ArrayPartition", 2),
                ("ArrayContains", 2),
                ("ArrayRange", 3),
                ("ArrayGetItem", 2),
                ("ArrayLength", 1),
                ("ArrayUnique", 1),
                ("JsonMerge", 3),
                ("MathAdd", 2),
                ("MathRandom", 2),
                ("UUID", 0),
                ("Hash", 2),
            )
        )
        arguments = [self._argument(depth) for _ in range(count)]
        if name == "Format" and self._chance(0.8):
            arguments[0] = self._one(("'a {} b'", "'{}'", "'\\{ {}'"))
        if name == "Hash":
            arguments[1] = self._one(("'MD5'", "'SHA-1'", "'SHA-512'", "'md5'"))
        if name == "MathRandom" and self._chance(0.8):
            arguments = [self._one(("0", "-5", "1")), self._one(("2", "7", "1024", "$.a"))]
        if name == "JsonMerge":
            arguments[2] = "false"
        if name == "ArrayContains" or (name == "JsonToString" and self._chance(0.5)):
            arguments[0] = "$.list"
        return f"States.{name}({', '.join(arguments)})"

    def _template(self, depth: int) -> dict[str, Any]:
        template: dict[str, Any] = {}
        for key in self._random.sample(KEYS, self._random.randrange(1, 4)):
            kind = self._random.randrange(4)
            if kind == 0:
                template[key] = self._template(depth - 1) if depth > 0 else self._value(1)
            elif kind == 1:
                template[f"{key}.$"] = self._intrinsic(1)
            elif kind == 2:
                template[key] = self._value(1)
            else:
                template[f"{key}.$"] = "$$.State.Name" if self._chance(0.1) else self._path()
        return template

    def _rule(self, depth: int) -> dict[str, Any]:
        if depth > 0 and self._chance(0.3):
            name = self._one(("And", "Or", "Not"))
            below = [self._rule(depth - 1) for _ in range(1 if name == "Not" else 2)]
            return {name: below[0] if name == "Not" else below}
        type_ = self._one(tuple(COMPARATORS))
        name = type_ + ("Equals" if type_ == "Boolean" else self._one(ORDERS))
        kind = self._random.randrange(5)
        tests = (
            {name: self._one(COMPARATORS[type_])},
            {f"{name}Path": self._reference()},
            {self._one(("IsPresent", "IsNull", "IsString", "IsNumeric", "IsBoolean", "IsTimestamp")): self._chance(0.5)},
            {"StringMatches": self._one(("*", "a*", "*,*", "foo\\*bar", ""))},
            {"IsPresent": True},
        )
        test = {"Variable": self._reference(), **tests[kind]}
        return {"And": [{"Variable": test["Variable"], "IsPresent": True}, test]} if self._chance(0.5) else test

    # --- JSONata

    def _query(self, depth: int) -> str:
        leaves = ("1", "2.5", "'x'", "true", "null", "[1,2,3]", "$states.input", "[]", "{}", "'a,b'", "-3", "[1..4]")
        leaves += ("$random()", "$uuid()", "-0.0", "$states.context.State.Name", "$states.input.list")
        if depth == 0 or self._chance(0.2):
            names = "".join(f".{self._one(KEYS)}" for _ in range(self._random.randrange(3)))
            return f"$states.input{names}" if self._chance(0.6) else self._one(leaves)
        x, y, z = (self._query(depth - 1) for _ in range(3))
        return self._one(
            (
                f"({x} {self._one(('+', '-', '*', '/', '%', '&', '=', '!=', '<', '>=', 'and', 'or', 'in'))} {y})",
                f"({x} ? {y} : {z})",
                f"[{x}, {y}]",
                f"{{'a': {x}, 'b': {y}}}",
                f"$count({x})",
                f"$string({x})",
                f"$exists({x})",
                f"$boolean({x})",
                f"$type({x})",
                f"$append({x}, {y})",
                f"$reverse($append([], {x}))",
                f"$map($append([], {x}), function($v, $i) {{ [$v, $i] }})",
                f"$filter($append([], {x}), function($v) {{ $v > 1 }})",
                f"$reduce($append([], {x}), function($p, $c) {{ $p & $c }}, '')",
                f"$distinct($append([], {x}))",
                f"$keys({x})",
                f"$merge([{x}, {y}])",
                f"$lookup({x}, 'a')",
                f"$not({x})",
                f"$sum([1, {x}])",
                f"$max([0, {x}])",
                f"$length($string({x}))",
                f"$substring($string({x}), 0, 2)",
                f"$uppercase($string({x}))",
                f"$split($string({x}), ',')",
                f"$join(['a', $string({x})], '-')",
                f"$contains($string({x}), 'a')",
                f"$replace($string({x}), 'a', 'b')",
                f"$pad($string({x}), 5, '#')",
                f"$round({x}, 1)",
                f"$floor({x})",
                f"$abs({x})",
                f"$number({x})",
                f"$shuffle($append([], {x}))",
                f"$ceil({x})",
                f"$power({x}, 2)",
                f"$average([1, {x}])",
                f"$trim($string({x}))",
                f"$substringBefore($string({x}), 'a')",
                f"$formatNumber({x}, '#,##0.00')",
                f"$match($string({x}), /[a-z]/)",
                f"$toMillis($string({x}))",
                f"$error($string({x}))",
                f"$assert({x} = 1, 'wrong')",
                f"$zip([1, 2], $append([], {x}))",
                f"$sort($append([], {x}))",
                f"$partition($append([], {x}), 2)",
                f"$range(0, 5, 2)[$ != {x}]",
                f"({x})[0]",
                f"({x}).a",
                f"({x}).*",
                f"({x})[a = 1]",
                f"({x}; $x := {y}; $x)",
                f"$spread({x})",
                f"$sift({{'a': {x}, 'b': 1}}, function($v, $k) {{ $k = 'a' }})",
                f"$each({{'a': {x}}}, function($v, $k) {{ $k }})",
                f"$parse($string({x}))",
                f"$hash($string({x}), 'SHA-256')",
                f"$base64encode($string({x}))",
            )
        )

    def _queries(self, depth: int) -> Any:
        if depth > 0 and self._chance(0.5):
            return {key: self._queries(depth - 1) for key in self._random.sample(KEYS, 2)}
        return "{% " + self._query(3) + " %}" if self._chance(0.8) else self._value(1)

    # --- states

    def _machine(self, depth: int, is_jsonata: bool) -> dict[str, Any]:
        count = self._random.randrange(1, 5)
        names = [self._name() for _ in range(count)]
        states: dict[str, Any] = {}
        for index, name in enumerate(names):
            following = names[index + 1] if index + 1 < count else None
            states[name] = self._state(depth, is_jsonata, following, names[index + 1 :])
        return {"StartAt": names[0], "States": states}

    def _name(self) -> str:
        self._names += 1
        return f"S{self._names}"

    def _state(self, depth: int, is_jsonata: bool, following: str | None, later: list[str]) -> dict[str, Any]:
        kinds = ["Pass", "Pass", "Task", "Task"]
        kinds += ["Choice"] * 2 if following else ["Succeed", "Fail"]
        kinds += ["Wait"] + (["Parallel", "Map"] if depth > 0 else [])
        kind = self._one(kinds)
        state: dict[str, Any] = {"Type": kind}
        if kind == "Choice":
            rules = [self._rule(2) if not is_jsonata else {"Condition": "{% " + self._query(2) + " = 1 %}"} for _ in range(2)]
            # Whatever the rules say, the next state is led to.
            return state | {"Choices": [rule | {"Next": self._one(later)} for rule in rules], "Default": following}
        if kind == "Fail":
            return state | {"Error": self._one(("Busy", "Own")), "Cause": self._one(TEXTS)}
        if kind != "Succeed":
            state |= {"Next": following} if following else {"End": True}
        if kind == "Wait":
            state["Seconds"] = self._one((0, 1, 30))
        getattr(self, f"_{kind.lower()}", lambda *_: None)(state, depth, is_jsonata)
        if kind in ("Task", "Parallel", "Map"):
            self._error_rules(state, is_jsonata, later)
        self._flow(state, kind, is_jsonata)
        return state

    def _task(self, state: dict[str, Any], depth: int, is_jsonata: bool) -> None:
        grain = state["Resource"] = f"g{len(self._grains)}"
        answers = ({"echo": True}, {"return": self._value(2)}, {"raise": {"error": self._one(ERRORS[:3]), "cause": "c"}})
        self._grains[grain] = [{**self._one(answers), "seconds": self._one((0, 0, 1, 9))}]
        if self._chance(0.3):
            state["TimeoutSeconds"] = 5

    def _parallel(self, state: dict[str, Any], depth: int, is_jsonata: bool) -> None:
        state["Branches"] = [self._machine(depth - 1, is_jsonata) for _ in range(self._random.randrange(1, 3))]

    def _map(self, state: dict[str, Any], depth: int, is_jsonata: bool) -> None:
        state["ItemProcessor"] = self._machine(depth - 1, is_jsonata)
        state["MaxConcurrency"] = 1
        if is_jsonata:
            state["Items"] = "{% $append([], $states.input.list) %}" if self._chance(0.7) else self._queries(0)
            if not isinstance(state["Items"], list | dict) and not str(state["Items"]).startswith("{%"):
                state["Items"] = [1, 2]
        else:
            state["ItemsPath"] = "$.list" if self._chance(0.8) else self._reference()
            if self._chance(0.3):
                state["ItemSelector"] = self._template(1) | {"item.$": "$$.Map.Item.Value", "index.$": "$$.Map.Item.Index"}

    def _error_rules(self, state: dict[str, Any], is_jsonata: bool, later: list[str]) -> None:
        if self._chance(0.4):
            retrier = {"ErrorEquals": [self._one(ERRORS)], "MaxAttempts": self._one((0, 1, 2)), "BackoffRate": 1.5}
            state["Retry"] = [retrier]
        if later and self._chance(0.5):
            catcher: dict[str, Any] = {"ErrorEquals": [self._one(ERRORS)], "Next": self._one(later)}
            if not is_jsonata:
                catcher["ResultPath"] = self._one(("$.error", "$", None))
            state["Catch"] = [catcher]

    def _flow(self, state: dict[str, Any], kind: str, is_jsonata: bool) -> None:
        if is_jsonata:
            if kind in ("Task", "Parallel") and self._chance(0.4):
                state["Arguments"] = self._queries(2)
            if self._chance(0.5):
                state["Output"] = self._queries(2)
            return
        if self._chance(0.15):
            state["InputPath"] = self._one((self._path(), None))
        if self._chance(0.15):
            state["OutputPath"] = self._one((self._path(), None))
        if kind in ("Task", "Parallel", "Pass") and self._chance(0.4):
            state["Parameters"] = self._template(2)
        if kind in ("Task", "Parallel", "Map") and self._chance(0.2):
            state["ResultSelector"] = self._template(1)
        if kind in ("Task", "Parallel", "Map", "Pass") and self._chance(0.4):
            state["ResultPath"] = self._one(("$.result", "$.a.b", "$.list[0]", "$", None))
        if kind == "Pass" and "Parameters" not in state and self._chance(0.3):
            state["Result"] = self._value(2)
