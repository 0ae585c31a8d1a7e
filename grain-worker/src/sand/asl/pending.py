"""What an execution waits for, by the ids of its calls and timers, and the commands that it has not handed out yet."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sand.asl.callbacks import Callbacks
from sand.asl.messages import Cancel, Command, ReadItems, WriteObject
from sand.asl.scopes import Scope
from sand.asl.steps import Failed

DEADLINE = 0
"""The id of the timer of the whole execution."""

Answer = Callable[[Any, Failed | None], None]
"""Takes what was read or that it was written, or why not."""


class Pending:
    def __init__(self) -> None:
        self.callbacks = Callbacks(self.new_id, self.command)
        self._scopes: dict[int, Scope] = {}
        self._answers: dict[int, Answer] = {}
        self._commands: list[Command] = []
        self._last_id = DEADLINE

    def new_id(self) -> int:
        self._last_id += 1
        return self._last_id

    def command(self, command: Command) -> None:
        self._commands.append(command)

    def take(self) -> list[Command]:
        """The commands since the last time."""
        commands, self._commands = self._commands, []
        return commands

    def wait(self, scope: Scope, id: int) -> None:
        scope.waits_for = id
        self._scopes[id] = scope

    def answered(self, id: int) -> Scope | None:
        """The scope that waited for the id, and does so no more."""
        scope = self._scopes.pop(id, None)
        if scope is not None:
            scope.waits_for = None
        return scope

    def ask(self, command: ReadItems | WriteObject, answer: Answer) -> None:
        """About objects."""
        self._answers[command.id] = answer
        self.command(command)

    def answer(self, id: int) -> Answer | None:
        """Who asked about objects under the id, and does so no more."""
        return self._answers.pop(id, None)

    def withdraw(self, id: int | None) -> None:
        """Nobody wants the answer about objects any more, if it was awaited."""
        if id is not None and self._answers.pop(id, None):
            self.command(Cancel(id))

    def abandon(self, scope: Scope) -> None:
        """What the scope itself waits for is moot."""
        if scope.waits_for is not None:
            del self._scopes[scope.waits_for]
            self.command(Cancel(scope.waits_for))
        if scope.token_wait is not None:
            self.callbacks.end(scope.token_wait, is_answered=False)

    def clear(self) -> None:
        """Everything is moot."""
        for id in (*self._scopes, *self.callbacks.ids(), *self._answers):
            self.command(Cancel(id))
        for scope in self._scopes.values():
            scope.waits_for = None
        self._scopes.clear()
        self.callbacks.clear()
        self._answers.clear()
