"""What stands in for other workflows and for queues in virtual time.

A stub under the resource (`startExecution.sync:2`, `sendMessage`) stands for the whole service: its answer is the result. One
under the workflow's name is that workflow: what it returns is the output of the execution that is started, what it raises its
failure. One under a queue's name may raise.
"""

from __future__ import annotations

import hashlib
import uuid
from dataclasses import replace

from sand.asl import failure, platform_services
from sand.asl.messages import CallGrain
from sand.asl.platform_services import Child, Mode, StartWorkflow
from sand.asl.stubs import Answer, Stubs

_APPLICATION = "app"
"""That a trial's workflows belong to."""


def answer(stubs: Stubs, call: CallGrain, now_ms: int) -> Answer:
    """Of a call that has a service."""
    if isinstance(call.service, StartWorkflow):
        return _start(stubs, call, call.service, now_ms)
    if whole := stubs.service("sendMessage", call.input):
        return whole
    assert call.service is not None
    if sent := stubs.send(call.grain, call.service.group, call.input):
        return sent
    said = stubs.call(call.grain, call.input)
    return said if said.failure else replace(said, output=platform_services.sent(_id(call.service.message), call.input))


def _start(stubs: Stubs, call: CallGrain, start: StartWorkflow, now_ms: int) -> Answer:
    mode = start.mode
    if mode is not Mode.WORKFLOW:
        whole = stubs.service(mode.value, call.input) or stubs.service(Mode.START.value, call.input)
        if whole is not None:
            return whole
    said = stubs.call(call.grain, call.input)
    child = Child(_id(call.step), _APPLICATION, call.grain, start.name, call.input, now_ms)
    if mode is Mode.WORKFLOW:
        return said
    if mode is Mode.START:
        return replace(said, output=platform_services.started(child), failure=None, delay_ms=0)
    stop_ms = now_ms + said.delay_ms
    if said.failure:
        cause = platform_services.failed(mode, child, "FAILED", *said.failure, stop_ms)
        return replace(said, output=None, failure=(failure.TASK_FAILED, cause))
    return replace(said, output=platform_services.succeeded(mode, child, said.output, stop_ms))


def _id(step: str) -> str:
    digest = hashlib.md5(step.encode("utf-8", "replace"), usedforsecurity=False).digest()
    return str(uuid.UUID(bytes=digest, version=3))
