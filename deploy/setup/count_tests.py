"""Sums the test reports of one run and prints "N passed, N failed" as its last line; called by deploy/setup/test.sh.

A suite that crashed leaves no report, or half of one: it counts as one failed test, so that no crash looks like success.
"""

import argparse
import os
import re
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path

WHY_LINES = 24
LINE_LENGTH = 1000  # a record of an execution, whole


@dataclass
class Count:
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    failures: list[str] = field(default_factory=list)

    def fail(self, name: str, why: str = "") -> None:
        self.failed += 1
        self.failures.append(f"failed: {name}" + "".join(f"\n    {line}" for line in shortened(why)))


def shortened(why: str) -> list[str]:
    """What a failure says first and last, and the project's own lines of its stack."""
    lines = [line.rstrip()[:LINE_LENGTH] for line in why.splitlines() if line.strip()]
    kept = [line for line in lines if not line.startswith("\tat ") or "at dev.sand." in line]
    return kept if len(kept) <= WHY_LINES else [*kept[: WHY_LINES // 2], "...", *kept[-WHY_LINES // 2 :]]


def add_report(count: Count, report: Path) -> None:
    try:
        root = ElementTree.parse(report).getroot()
    except ElementTree.ParseError as e:
        count.fail(f"{report.name}: the report is cut off ({e})")
        return
    for case in root.iter("testcase"):
        kinds = {child.tag: child for child in case}
        wrong = kinds.get("failure", kinds.get("error"))
        if wrong is not None:
            count.fail(f"{case.get('classname')}.{case.get('name')}", wrong.text or wrong.get("message") or "")
        elif "skipped" in kinds:
            count.skipped += 1
        else:
            count.passed += 1


def add_suite(count: Count, report: Path, status: int, name: str) -> None:
    """One with a report and a status of its own."""
    failed_before = count.failed
    if report.exists():
        add_report(count, report)
    if status != 0 and count.failed == failed_before:
        count.fail(name)


def crashed_modules(log: str) -> list[str]:
    """Maven modules that ended otherwise than by a failing test: compilation, a crashed fork, a script's exit code."""
    return sorted(set(re.findall(r"^\[ERROR\] Failed to execute goal .* on project (\S+?):", log, re.MULTILINE)))


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--maven-status", type=int, required=True)
    options.add_argument("--maven-log", type=Path, required=True)
    options.add_argument("--e2e-status", type=int, required=True)
    options.add_argument("--gui-status", type=int, required=True)
    given = options.parse_args()

    checkout = Path(os.environ["SAND_CHECKOUT"])
    count = Count()
    for report in sorted(checkout.glob("*/target/surefire-reports/TEST-*.xml")):
        add_report(count, report)
    java_failed = count.failed
    for report in sorted(checkout.glob("grain-worker/target/*.xml")):
        add_report(count, report)
    python_failed = count.failed > java_failed
    if given.maven_status != 0:
        for module in crashed_modules(given.maven_log.read_text(errors="replace")) or ["mvn verify"]:
            # The Python suite's script fails when one of its tests did: that one is counted already.
            if module != "grain-worker" or not python_failed:
                count.fail(f"{module} (see .sand/log/verify.log)")
    add_suite(count, checkout / ".sand/test-reports/gui.xml", given.gui_status, "the GUI's suite (see .sand/log/gui-test.log)")
    add_suite(count, checkout / ".sand/test-reports/e2e.xml", given.e2e_status, "the end-to-end suite (see .sand/log/e2e.log)")

    for failure in count.failures:
        print(failure)
    if count.skipped:
        print(f"{count.skipped} skipped")
    print(f"{count.passed} passed, {count.failed} failed")
    return 1 if count.failed or count.passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
