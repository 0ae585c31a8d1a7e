"""How an execution ended."""

from dataclasses import dataclass, field
from typing import Any

from sand.asl import document
from sand.asl.messages import CallGrain, HistoryEvent


class NotSucceeded(AssertionError):
    """An execution that was to give an output did not. `error` and `cause` are its own, `outcome` all of it."""

    def __init__(self, outcome: "Outcome") -> None:
        super().__init__(f"the execution is {outcome.status}: {outcome.error}: {outcome.cause}")
        self.outcome = outcome
        self.error = outcome.error
        self.cause = outcome.cause


@dataclass(frozen=True, slots=True)
class Outcome:
    """status: SUCCEEDED, FAILED or TIMED_OUT; output: of a successful one, else None; elapsed_ms: from its start to its end,
    in virtual time; calls: of grains, in order; history: all that happened, in order; objects: that a trial wrote, by key."""

    status: str
    output: Any
    error: str | None
    cause: str | None
    elapsed_ms: int
    calls: list[CallGrain] = field(default_factory=list)
    history: list[HistoryEvent] = field(default_factory=list)
    objects: dict[str, Any] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        """As `sand asl run` prints it. What timed out as a whole has neither error nor cause, as AWS describes it; its
        history tells of States.Timeout."""
        written = {"objects": self.objects} if self.objects else {}
        if self.status == "SUCCEEDED":
            return {"status": self.status, "output": self.output, **written}
        error, cause = (None, None) if self.status == "TIMED_OUT" else (self.error, self.cause)
        return {"status": self.status, **written, "error": error, "cause": cause}

    def plain_output(self) -> Any:
        """The output with floats, as a grain or a test would have it. :raises NotSucceeded: there is none"""
        if self.status != "SUCCEEDED":
            raise NotSucceeded(self)
        return document.plain(self.output)

    def states(self) -> list[str]:
        """The names of the states that were entered, in order."""
        return [event.state or "" for event in self.history if event.kind == "StateEntered"]
