"""The calls of cloud processes in the tests' host agent: noted, and answered from what a test has put there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from broker_data import Refused, sand

Reply = Callable[[Any], None]


class ProcessCalls:
    """`process_calls` has what was asked for, by method; the replies of what waits are in lists."""

    METHODS = ("stateGet", "stateKeys", "stateWrite", "send", "receive", "processInvoke", "processResult", "processList")

    def __init__(self) -> None:
        self.process_calls: list[tuple[str, Any]] = []
        self.state: dict[str, Any] = {}
        self.written_ahead: list[Any] = []
        self.mailbox: list[Any] = []
        self.results: dict[str, Any] = {}
        self.refused_invokes: set[str] = set()
        self.process_list = sand.ProcessList(version=1, processes=[])
        self.waiting_receives: list[Reply] = []
        self.waiting_lists: list[Reply] = []

    def asked(self, method: str) -> list[Any]:
        return [argument for name, argument in self.process_calls if name == method]

    def process_call(self, method: str, argument: Any, reply: Reply) -> None:
        """Under the broker's lock."""
        self.process_calls.append((method, argument))
        match method:
            case "stateGet":
                reply(sand.StateValue(value=self.state.get(argument.key)))
            case "stateKeys":
                keys = sorted((key for key in self.state if key > (argument.after or "")), key=str.encode)
                reply(keys[: argument.limit])
            case "stateWrite":
                self.written_ahead += argument.writes
                self.state |= {write.key: write.value for write in argument.writes}
                reply(None)
            case "send":
                if argument.destination == "full":
                    raise Refused("Sand.Overloaded", "the mailbox of full is full")
                if argument.destination == "gone":
                    raise Refused("Sand.NotFound", "no process gone")
                reply(None)
            case "receive":
                found = next((one for one in self.mailbox if argument.key in (None, one.key)
                              and argument.source in (None, one.source)), None)  # fmt: skip
                if found is not None:
                    self.mailbox.remove(found)
                    reply(sand.ReceiveReply(message=found))
                elif argument.waitMs:
                    self.waiting_receives.append(reply)
                else:
                    reply(sand.ReceiveReply())
            case "processInvoke":
                if argument.eventId in self.refused_invokes:
                    raise Refused("Sand.Overloaded", "no room")
                id = f"{argument.eventId}#{argument.number}"
                reply(sand.ProcessInvoked(invocation=id, result=self.results.get(id) if argument.awaited else None))
            case "processResult":
                reply(self.results.get(argument.invocation) or sand.ProcessResult())
            case "processList":
                if argument.newerThan is not None and argument.newerThan >= self.process_list.version and argument.waitMs:
                    self.waiting_lists.append(reply)
                else:
                    reply(self.process_list)
