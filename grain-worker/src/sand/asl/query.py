"""JSONata expressions in fields of states: evaluated by the library, within the bounds of `query_run`."""

from __future__ import annotations

from typing import Any

from sand.asl import document, limits, query_errors, query_tree
from sand.asl.failure import INTRINSIC_FAILURE, QUERY_EVALUATION_ERROR, StateError
from sand.asl.query_engine import Engine
from sand.asl.query_run import Run
from sand.asl.query_values import Unsupported, from_library, to_library
from sand.asl.scopes import ABSENT
from sand.asl.visits import View


class Query:
    """text: without the braces; location: of the field in its state, like "Output/a[0]"."""

    def __init__(self, text: str, location: str, sight: str) -> None:
        self._text = text
        self._location = location
        self._engine = Engine(text)
        self._tree = query_tree.look(self._engine.ast, text)
        for names in self._tree.states:
            _check_sight(names, sight)

    def evaluate(self, view: View) -> Any:
        """Raises StateError: of an expression that fails, is over a bound, or gives nothing."""
        run = Run(view)
        try:
            result = self._engine.run(run, self._bindings(view, run))
            if result is None:
                raise self._failed("returned nothing (undefined).")
            run.check(result)
            return from_library(result, run.budget)
        except StateError as e:
            is_ours = e.error in (QUERY_EVALUATION_ERROR, INTRINSIC_FAILURE)
            if is_ours and not str(e.cause).startswith("The JSONata expression"):
                raise self._threw(str(e.cause)) from None
            raise
        except Unsupported:
            raise self._failed("returned an unsupported result type.") from None
        except RecursionError:
            raise self._threw("A value or an evaluation is nested too deep") from None
        except Exception as e:
            # The library fails in as many ways as Python has exceptions: to a workflow they are all one.
            raise self._threw(query_errors.sentence(e, run)) from None

    def _bindings(self, view: View, run: Run) -> dict[str, Any]:
        bindings: dict[str, Any] = {}
        for name in self._tree.variables:
            try:
                bindings[name] = to_library(view.variable(name), run)
            except KeyError:
                continue
        if self._tree.states:
            wanted = {names[0] if names else None for names in self._tree.states}
            seen = {  # in the order in which AWS shows them
                "input": view.data,
                "context": lambda: view.context(any(map(_shows_input, self._tree.states))),
                "result": view.result,
                "errorOutput": lambda: view.error,
            }
            states = {name: get() for name, get in seen.items() if name in wanted or None in wanted}
            bindings["states"] = to_library({name: value for name, value in states.items() if value is not ABSENT}, run)
        return bindings

    def _failed(self, why: str) -> StateError:
        message = f"The JSONata expression '{self._text}' specified for the field '{self._location}' {why}"
        return StateError(QUERY_EVALUATION_ERROR, message)

    def _threw(self, why: str) -> StateError:
        """As on AWS, after a code, which begins a sentence, or after none."""
        return self._failed(f"threw an error during evaluation{'.' if query_errors.has_code(why) else ':'} {why}")

    def mistyped(self, expected: str, value: Any) -> StateError:
        """For a value that the field does not take. expected: a type of JSONata's."""
        was = f"Expected '{expected}', but was '{document.kind(value)}' for value: {document.write(value)}"
        return self._failed(f"returned an unexpected result type. {was}")

    def out_of_bounds(self, expected: str, value: Any) -> StateError:
        """For a value of the right type that the field does not take."""
        return self._failed(
            f"returned a value that the field does not take. Expected {expected}, but was: {document.write(value)}"
        )

    def __str__(self) -> str:
        return self._text


def _shows_input(names: tuple[str, ...]) -> bool:
    """Whether `$states.context.Execution.Input` is among what is referred to."""
    return all(name == wanted for name, wanted in zip(names, ("context", "Execution", "Input"), strict=False))


def _check_sight(names: tuple[str, ...], sight: str) -> None:
    if names and names[0] not in ("input", "result", "errorOutput", "context"):
        raise ValueError(f"$states has no '{names[0]}'")
    if names[:1] == ("result",) and sight != "result":
        raise ValueError("$states.result is only there in Output and Assign of a Task, Parallel or Map")
    if names[:1] == ("errorOutput",) and sight != "errorOutput":
        raise ValueError("$states.errorOutput is only there in Output and Assign of a Catch")


def parse(text: str, location: str, sight: str) -> Query:
    """Raises ValueError with one sentence, when it is no JSONata, or refers to what is not there."""
    if len(text) > limits.QUERY_CHARS:
        raise ValueError(f"The JSONata expression has {len(text)} characters; the limit is {limits.QUERY_CHARS}")
    try:
        return Query(text, location, sight)
    except RecursionError:
        raise ValueError("The JSONata expression is nested too deep") from None
    except ValueError as e:
        raise ValueError(f"The JSONata expression '{text}': {e}") from None
    except Exception as e:
        raise ValueError(f"'{text}' is not valid JSONata: {query_errors.sentence(e, None)}") from None
