"""The applications that are served: their versions, who runs their grains, their data, and what happened in them."""

from __future__ import annotations

import os
import re
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from sand.asl.tokens import KEY_BYTES, Place, TaskTokens
from sand.emulator import folder_files
from sand.emulator import manifest as manifests
from sand.emulator.attempts import Grains
from sand.emulator.checks import check
from sand.emulator.data import Data
from sand.emulator.executions import Callback, Execution, run_grain, run_workflow
from sand.emulator.forked import ForkedGrains
from sand.emulator.lines import Lines, Origin
from sand.emulator.manifest import Manifest
from sand.emulator.problems import Problem, platform, unknown_application, unknown_target, unknown_version
from sand.emulator.processes import Processes
from sand.emulator.processes_stay import Residence
from sand.emulator.segments import Segments
from sand.emulator.triggers import Triggers
from sand.emulator.versions import Cells
from sand.emulator.workflow_services import Children, WorkflowServices
from sand.emulator.workflows import run as run_machine
from sand.messages import Payload

RECORDS = 10_000
VERSIONS = 10
_NUMBER = re.compile(r"[0-9]{1,9}")
Make = Callable[[Manifest, int, Data, Segments, Lines, dict[str, str]], Grains]


class Version:
    """:param number: from 1, as on a platform"""

    def __init__(self, number: int, manifest: Manifest, grains: Grains) -> None:
        self.number = number
        self.manifest = manifest
        self.grains = grains
        self.created_ms = time.time_ns() // 1_000_000

    @cached_property
    def bundle(self) -> str:
        """The address of its content, as it is when that is first asked for."""
        return folder_files.address(self.manifest.folder)


class Application:
    """One application. Data and records outlive a reload, as they outlive a deployment.

    :param make: makes who runs the grains
    :param deleted_up_to: the last version of earlier applications of its name
    """

    def __init__(
        self, name: str, lines: Lines, make: Make, tokens: TaskTokens, is_manual: bool = False, deleted_up_to: int = 0
    ) -> None:
        self.name = name
        self.deleted_up_to = deleted_up_to
        self.tokens = tokens
        self.lines = lines
        self.segments = Segments()
        self.triggers = Triggers(self, is_manual)
        self.data = Data(self.segments, self.triggers.data_changed, self.triggers.enqueue)
        # What people saved to test grains with, by grain and name.
        self.events: Cells[bytes] = Cells()
        self.versions: dict[int, Version] = {}
        self.aliases: dict[str, int] = {}
        self.children = Children()
        self.processes = Processes(self)
        self.executions: OrderedDict[str, Execution] = OrderedDict()
        self.lock = threading.RLock()
        self._make = make
        self.made = deleted_up_to

    def add(self, manifest: Manifest, alias: str) -> Version:
        with self.lock:
            self.made += 1
            number = self.made
            known = {
                name: os.environ[name] for grain in manifest.grains.values() for name in grain.secrets if name in os.environ
            }
            grains = self._make(manifest, number, self.data, self.segments, self.lines, known)
            self.versions[number] = Version(number, manifest, grains)
            self.aliases[alias] = number
            self._retire(self.versions[number])
        self.triggers.deployed()
        self.processes.deployed()
        return self.versions[number]

    def _retire(self, newest: Version) -> None:
        """What came out of the same folder has other files now, and old versions make room; each ends with its executions."""
        gone = [one for one in self.versions.values() if one is not newest and one.manifest.folder == newest.manifest.folder]
        unnamed = [one for number, one in self.versions.items() if number not in self.aliases.values() and one not in gone]
        gone += unnamed[: max(0, len(self.versions) - len(gone) - VERSIONS)]
        for version in gone:
            del self.versions[version.number]
            self.aliases = {alias: number for alias, number in self.aliases.items() if number != version.number}
            threading.Thread(target=self._close_when_idle, args=(version,), daemon=True).start()

    def _close_when_idle(self, version: Version) -> None:
        # An execution may start others until it ends.
        while left := [one for one in self._running() if one.version == version.number]:
            for execution in left:
                execution.ended.wait()
        version.grains.close()

    def _running(self) -> list[Execution]:
        with self.lock:
            return [one for one in self.executions.values() if not one.ended.is_set()]

    def version(self, qualifier: str | None) -> Version:
        """:param qualifier: an alias or a number; None: `live`, else the latest"""
        with self.lock:
            if qualifier is None:
                found = self.aliases.get("live", max(self.versions, default=None))
            else:
                found = int(qualifier) if _NUMBER.fullmatch(qualifier) else self.aliases.get(qualifier)
            if found not in self.versions:
                raise unknown_version(self.name, qualifier or "live")
            return self.versions[found]

    def start(
        self,
        version: Version,
        target: str,
        payload: Payload,
        timeout_ms: int,
        traceparent: str | None = None,
        on_end: Callable[[Execution], None] = lambda execution: None,
        id: str | None = None,
        residence: Residence | None = None,
    ) -> Execution:
        """:raises Problem: 404, there is no such target"""
        manifest = version.manifest
        if not manifest.has_target(target):
            raise unknown_target(self.name, version.number, target)
        execution = Execution(manifest, version.number, target, payload, timeout_ms, traceparent, id, residence)
        with self.lock:
            self.executions[execution.id] = execution
            self._make_room()
        self._begin(execution, version, on_end)
        return execution

    def _make_room(self) -> None:
        """The oldest that have ended go; one that runs stays, however long it waits."""
        while len(self.executions) > RECORDS:
            oldest = next((id for id, one in self.executions.items() if one.ended.is_set()), None)
            if oldest is None:
                return
            del self.executions[oldest]

    def _begin(self, execution: Execution, version: Version, on_end: Callable[[Execution], None]) -> None:
        thread = threading.Thread(target=self._run, args=(execution, version, on_end), daemon=True, name=execution.id)
        execution.thread = thread
        thread.start()

    def successor(self, execution: Execution) -> Version | None:
        """What a reload has put in the place of its version: the folder as it is now."""
        with self.lock:
            found = [one for one in self.versions.values() if one.manifest.folder == execution.manifest.folder]
        return max(found, key=lambda one: one.number, default=None)

    def redrive(self, execution: Execution, version: Version, timeout_ms: int, from_: str | None) -> bool:
        """Whether it runs on, in that version: it had ended without success."""
        if execution.ended.is_set() and execution.thread is not None:
            execution.thread.join()  # what belongs to its end is done
        if not execution.redrive(timeout_ms, from_):
            return False
        execution.manifest, execution.version = version.manifest, version.number
        self._begin(execution, version, lambda _: None)
        return True

    def _run(self, execution: Execution, version: Version, on_end: Callable[[Execution], None]) -> None:
        try:
            if execution.target in version.manifest.workflows:
                services = WorkflowServices(self, version, execution)
                machine = partial(run_machine, tokens=self.tokens, data=self.data, services=services)
                run_workflow(execution, version.grains, machine)
            elif execution.residence is None:
                run_grain(execution, version.grains)
            elif execution.residence.enter(execution):
                try:
                    run_grain(execution, version.grains)
                finally:
                    execution.residence.leave(execution)
        except BaseException as broken:  # a mistake of the emulator's own: its trace is shown, and nobody waits for ever
            cause = f"the emulator failed: {type(broken).__name__}: {broken}"
            execution.end("FAILED", None, platform("Sand.Unavailable", cause, False))
            raise
        finally:
            execution.ended.wait()
            on_end(execution)
            if execution.failure is not None and execution.status != "CANCELLED":
                origin = Origin(self.name, execution.version, execution.target, execution.id)
                self.lines.failed(origin, f"{execution.status}: {execution.failure.line()}")
            self.segments.release(execution.id)

    def execution(self, execution_id: str) -> Execution:
        with self.lock:
            if execution_id in self.executions:
                return self.executions[execution_id]
        detail = f"Application '{self.name}' has no invocation {execution_id}, or has it no more."
        raise Problem(404, "unknown-invocation", "Unknown invocation", detail)

    def close(self) -> None:
        self.triggers.close()
        self.processes.close()
        for execution in list(self.executions.values()):
            execution.cancel("the emulator ends")
        for version in self.versions.values():
            version.grains.close()
        self.segments.close()


class Applications:
    """All of them, by name. :param is_manual: queues and triggers wait for a test to say so"""

    def __init__(
        self, make: Make = ForkedGrains, show: Callable[[dict[str, Any]], None] | None = None, is_manual: bool = False
    ) -> None:
        self._is_manual = is_manual
        self.lines = Lines(show)
        self.tokens = TaskTokens(secrets.token_bytes(KEY_BYTES))
        self._make = make
        self._all: dict[str, Application] = {}
        # A number is never used twice, also not after a deletion.
        self._ended: dict[str, int] = {}
        self.on_deleted: Callable[[str], None] = lambda name: None
        self._lock = threading.Lock()

    def load(self, folder: Path, alias: str = "live", name: str | None = None) -> tuple[Application, Version]:
        """What a deployment does: reads the folder, imports its grains, and makes the next version.

        :raises Problem: with all that is wrong with it
        """
        read = manifests.read(folder)
        if name not in (None, read.name):
            detail = f"It is deployed as '{name}', but its sand.yaml has the name '{read.name}'."
            raise Problem(422, "invalid-application", "The application folder is not valid", detail)
        check(read)
        with self._lock:
            application = self._all.get(read.name) or Application(
                read.name, self.lines, self._make, self.tokens, self._is_manual, self._ended.get(read.name, 0)
            )
            self._all[read.name] = application
        return application, application.add(read, alias)

    def get(self, name: str) -> Application:
        """:raises Problem: 404"""
        with self._lock:
            if name not in self._all:
                raise unknown_application(name)
            return self._all[name]

    def call_back(self, place: Place, report: Callback) -> bool:
        """Whether the callback was awaited, and so counts."""
        with self._lock:
            application = self._all.get(place.application)
        execution = application.executions.get(place.execution_id) if application else None
        return execution is not None and execution.call_back(place.step, report)

    def all(self) -> list[Application]:
        with self._lock:
            return [self._all[name] for name in sorted(self._all)]

    def delete(self, name: str) -> None:
        application = self.get(name)
        with self._lock:
            del self._all[name]
            self._ended[name] = application.made
        application.close()
        self.on_deleted(name)

    def close(self) -> None:
        for application in self.all():
            application.close()
