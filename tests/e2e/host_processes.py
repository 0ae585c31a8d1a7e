"""Processes of sandboxes as the machine sees them."""

from pathlib import Path


def inside_pid(process: Path) -> int:
    """Its process id in its own namespace."""
    for line in (process / "status").read_text().splitlines():
        if line.startswith("NSpid:"):
            return int(line.split()[-1])
    return int(process.name)


def find(inside: int, sandbox: str) -> int:
    """The process that has the id `inside` in the sandbox of that name (which is its container's host name).

    :raises LookupError: there is none, or no more
    """
    for process in Path("/proc").iterdir():
        if not process.name.isdigit():
            continue
        try:
            if inside_pid(process) == inside and f"/run/{sandbox}" in (process / "mountinfo").read_text():
                return int(process.name)
        except OSError:
            continue
    raise LookupError(f"no process {inside} in sandbox {sandbox}")
