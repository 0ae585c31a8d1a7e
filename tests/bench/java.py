"""Benches that are Java programs: they live beside the tests of what they measure."""

from __future__ import annotations

import os

from .peers.process import run
from .under_test import ROOT

BUILD_SECONDS = 300
# What they print on stdout is figures.
QUIET = ROOT / "global-bus" / "src" / "test" / "resources" / "logback-test.xml"


def java_bench(module: str, program: str, *arguments: str) -> list[str]:
    """Compiles the module's tests, and says how the program among them is run."""
    build = ["mvn", "-q", "-B", "-f", str(ROOT / "pom.xml"), "-pl", module, "-am", "-DskipTests", "test-compile"]
    run(build, seconds=BUILD_SECONDS)
    # Modules as the platform runs them; of this one, the classes that the bench was compiled with.
    classes = [ROOT / module / "target" / "test-classes", ROOT / module / "target" / "classes"]
    path = ":".join([*map(str, classes), str(ROOT / "standalone" / "target" / "lib" / "*")])
    java = f"{os.environ.get('SAND_JAVA_HOME', '/usr')}/bin/java"
    return [java, f"-Dlogback.configurationFile={QUIET}", "-cp", path, program, *arguments]
