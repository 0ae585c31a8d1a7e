"""The end of an instance's process, in the words of the host agent's `ExitWords`."""

from __future__ import annotations

import signal

from sand.emulator.problems import Failure
from sand.messages import GrainConfiguration, InstanceExitedReport


def crash(configuration: GrainConfiguration, report: InstanceExitedReport) -> Failure:
    """It ended before its handler returned."""
    known = f" ({report.note})" if report.note else ""
    limit, peak = configuration.instance_memory_bytes, report.peak_memory_bytes
    who = f"instance {report.instance} of grain {configuration.grain}"
    memory = "memory" in (report.note or "").lower() or peak >= limit - limit // 8
    if report.signal == signal.SIGKILL and limit and memory:
        cause = (
            f"{who} was killed for the memory it took: its peak was {peak >> 20} MiB and the limit is {limit >> 20} "
            f"MiB{known}; raise the grain's or the sandbox's memory, or use less"
        )
        return Failure("Sand.OutOfMemory", cause, "grain", False, None, {"limit": limit, "actual": peak})
    if report.signal:
        how = f"was ended by signal {report.signal} ({_name(report.signal)})"
    else:
        how = f"exited with code {report.exit_code}"
    return Failure("Sand.Crashed", f"{who} {how} before its handler returned{known}")


def _name(number: int) -> str:
    try:
        name, words = signal.Signals(number).name, signal.strsignal(number)
    except ValueError:
        return f"signal {number}"
    return f"{name}: {words.lower()}" if words else name
