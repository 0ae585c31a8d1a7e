"""Versions and invocations as the HTTP interface shows them (openapi.yaml's schemas)."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from sand.emulator.applications import Application, Version
from sand.emulator.attempts import Attempt
from sand.emulator.executions import Execution
from sand.messages import Payload


def summary(application: Application, version: Version, alias: str) -> dict[str, Any]:
    """What whoever deployed is told."""
    manifest = version.manifest
    return {
        "application": application.name, "version": version.number, "alias": alias, "created": True,
        "grains": list(manifest.grains), "workflows": list(manifest.workflows),
        "routes": [f"{route.method} {route.path}" for route in manifest.routes], "resolved": [],
    }  # fmt: skip


def version_of(application: Application, version: Version) -> dict[str, Any]:
    manifest = version.manifest
    sandbox = manifest.document.get("sandbox") or {}
    grains = {
        grain.name: {
            "name": grain.name, "entry": grain.entry, "isolation": grain.isolation.upper(), "preload": grain.preload.upper(),
            "timeoutMs": grain.timeout_ms, "concurrency": grain.concurrency, "memoryBytes": grain.memory_bytes,
            "queueDepth": grain.queue_depth, "queueBytes": grain.queue_bytes, "minIdle": grain.idle[0],
            "maxIdle": grain.idle[1], "maxRequests": grain.max_requests,
            "environment": dict(grain.environment), "secrets": list(grain.secrets),
        }
        for grain in manifest.grains.values()
    }  # fmt: skip
    return {
        "application": application.name, "version": version.number,
        "aliases": {alias: number for alias, number in application.aliases.items() if number == version.number},
        "createdMs": version.created_ms, "bundle": version.bundle, "dependencies": None,
        "description": (manifest.document.get("description") or "").strip(),
        "durability": manifest.document.get("durability", "relaxed").upper(),
        "sandbox": {
            "memoryBytes": manifest.sandbox_memory_bytes, "cpus": sandbox.get("cpus", 0), "pids": sandbox.get("pids", 512),
            "network": sandbox.get("network", False), "preload": list(manifest.preload), "idleTimeoutMs": 600_000,
        },
        "grains": grains,
        "workflows": {
            workflow.name: {"name": workflow.name, "definition": workflow.definition, "timeoutMs": workflow.timeout_ms}
            for workflow in manifest.workflows.values()
        },
        "routes": [{"method": route.method, "path": route.path, "target": route.target} for route in manifest.routes],
    }  # fmt: skip


def invocation(execution: Execution) -> dict[str, Any]:
    with execution.changed:
        attempts = list(execution.attempts)
        shown: dict[str, Any] = {
            "executionId": execution.id, "application": execution.manifest.name, "version": execution.version,
            "target": execution.target, "status": execution.status, "startedMs": execution.started_ms,
            "endedMs": execution.ended_ms, "redriveCount": execution.redrives,
            "cpuUs": sum(attempt.cpu_us for attempt in attempts),
            "peakMemoryBytes": max((attempt.peak_memory_bytes for attempt in attempts), default=0),
        }  # fmt: skip
        if execution.residence is not None:
            shown["process"] = execution.residence.process.id
        if execution.failure is not None:
            shown["failure"] = execution.failure.document()
        shown["input"] = _value(execution.input)
        if execution.output is not None:
            shown["output"] = _value(execution.output)
    return shown


def _value(payload: Payload) -> dict[str, Any]:
    return {"contentType": payload.content_type, "size": len(payload.bytes or b"")}


def timeline(execution: Execution) -> dict[str, Any]:
    with execution.changed:
        attempts = list(execution.attempts)
    origin = min((attempt.queued_ns for attempt in attempts), default=0)
    hops = [timed(attempt, origin) for attempt in attempts]
    return {"executionId": execution.id, "status": execution.status, "hops": hops}


def timed(attempt: Attempt, origin_ns: int = 0) -> dict[str, Any]:
    """:param origin_ns: 0: without the offset"""
    marks = (attempt.queued_ns, attempt.handed_ns, attempt.started_ns, attempt.ended_ns, attempt.returned_ns)
    parts = [max(0, to - begin) / 1e6 if begin and to else 0.0 for begin, to in pairwise(marks)]
    shown: dict[str, Any] = {
        "eventId": attempt.event_id, "grain": attempt.grain, "attempt": attempt.number, "error": attempt.error
    }  # fmt: skip
    if origin_ns:
        shown["atMs"] = (attempt.queued_ns - origin_ns) / 1e6
    shown |= dict(zip(("queueMs", "dispatchMs", "runMs", "busMs"), parts, strict=True))
    return shown | {"cpuUs": attempt.cpu_us, "peakMemoryBytes": attempt.peak_memory_bytes}
