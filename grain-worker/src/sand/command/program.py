"""Where the platform's Java program and a Java to run it with are."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from sand.command.failure import ExitCode, Failure

JAVA_VERSION = 25
MAIN_CLASS = "dev.sand.standalone.Main"
# Zero-copy needs native access; the heap grows with use and is given back when idle, for a machine that others use too.
# Large pages: on virtual machines a missed translation is dear, and a shard that wakes finds few that it needs. They are
# touched when the heap grows, and not in the middle of somebody's input: a first touch takes 5 ms where the machine is virtual.
# The collector counts that as its own time, and would grow the heap for it again: it may take a fifth (docs/HOT-PATH.md).
JVM_OPTIONS = (
    "--enable-native-access=ALL-UNNAMED",
    "-XX:+UseG1GC",
    "-XX:G1PeriodicGCInterval=60000",
    "-XX:GCTimeRatio=4",
    "-XX:+UseTransparentHugePages",
    "-XX:+AlwaysPreTouch",
    "-Xms64m",
)
# Classes and profiles of an earlier run, beside the program's jar (deploy/setup/train.py), and the jars that it was made with.
AOT_CACHE = "sand.aot"
AOT_JARS = "sand.aot.jars"


def checkout() -> Path | None:
    """The source tree that this command was installed from, if it was."""
    top = Path(__file__).resolve().parents[4]
    return top if (top / "standalone/pom.xml").is_file() else None


def class_path() -> str:
    """The program's jars: below SAND_PLATFORM, or as the checkout's build left them."""
    named = os.environ.get("SAND_PLATFORM")
    top = checkout()
    if named:
        target = Path(named)
    elif top:
        target = top / "standalone/target"
    else:
        raise Failure(
            ExitCode.PLATFORM_FAILED,
            "the platform's program is not here",
            ("Set SAND_PLATFORM to the folder with its jars, or run ./sand up in a checkout.",),
        )
    jars = [jar for jar in sorted(target.glob("*.jar")) if not jar.name.endswith(("-sources.jar", "-tests.jar"))]
    if not jars:
        raise Failure(
            ExitCode.PLATFORM_FAILED,
            f"there is no jar in {target}",
            ("Run ./sand setup in the checkout; it builds the program.",),
        )
    # One by one and in order: a cache of classes holds for exactly the class path that it was made with.
    return os.pathsep.join(map(str, [*jars, *sorted((target / "lib").glob("*.jar"))]))


def other_jars(is_newer: bool) -> Failure:
    """That the jars of `class_path` were built from other sources than this command."""
    age, mend = ("newer", "Install the command") if is_newer else ("older", "Run ./sand setup in the checkout")
    where = os.environ.get("SAND_PLATFORM") or "standalone/target"
    return Failure(
        ExitCode.PLATFORM_FAILED,
        f"the jars in {where} are {age} than this command",
        (f"{mend}{' anew' if is_newer else ', which builds them'}, or use --engine python.",),
    )


def jvm_options(jars: str) -> list[str]:
    """The program's own, the cache of classes when there is one for these jars, and those of SAND_JVM_OPTIONS."""
    cache = Path(jars.split(os.pathsep)[0]).with_name(AOT_CACHE)
    cached = [f"-XX:AOTCache={cache}"] if cache.is_file() and holds_for(cache, jars) else []
    return [*JVM_OPTIONS, *cached, *os.environ.get("SAND_JVM_OPTIONS", "").split()]


def holds_for(cache: Path, jars: str) -> bool:
    """Java 25 goes on with a cache's classes when a jar has changed since: it is we who look."""
    made_with = cache.with_name(AOT_JARS)
    return made_with.is_file() and made_with.read_text() == jars_as_they_are(jars)


def jars_as_they_are(jars: str) -> str:
    """A line a jar of a class path: its name, bytes and time of change in nanoseconds."""
    found = [(Path(jar), Path(jar).stat()) for jar in jars.split(os.pathsep)]
    return "".join(f"{jar.name} {stat.st_size} {stat.st_mtime_ns}\n" for jar, stat in found)


def java_version(java: Path | str) -> int:
    """The major version of a java, 0 when it does not run."""
    try:
        told = subprocess.run([str(java), "-version"], capture_output=True, text=True, timeout=30, check=False)
    except OSError:
        return 0
    found = re.search(r'version "(\d+)', told.stderr)
    return int(found.group(1)) if found else 0


def find_java() -> Path | None:
    """The first java that is new enough: the set-up's, JAVA_HOME's, the path's, in /usr/lib/jvm, the checkout's own."""
    homes = [os.environ.get("SAND_JAVA_HOME"), os.environ.get("JAVA_HOME")]
    candidates = [Path(home, "bin/java") for home in homes if home]
    on_path = shutil.which("java")
    if on_path:
        candidates.append(Path(on_path))
    candidates += sorted(Path("/usr/lib/jvm").glob("*/bin/java"), reverse=True)
    top = checkout()
    if top:
        candidates.append(top / ".sand/jdk/bin/java")  # put together by the set-up where the system had none
    for java in candidates:
        if java.is_file() and java_version(java) >= JAVA_VERSION:
            return java
    return None


def default_home() -> Path:
    """Short, since sockets live below it and a socket's path has 107 bytes at most; root's own folder lets no sandbox pass."""
    if os.geteuid() == 0 and not os.environ.get("XDG_STATE_HOME"):
        return Path("/var/lib/sand")
    state = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local/state")
    return Path(state) / "sand"


def ensure_docker() -> str | None:
    """Starts Docker's engine when that can be done here; None when it answers, else why it does not."""
    top = checkout()
    script = top / "deploy/docker/ensure-engine.sh" if top else None
    command = [str(script)] if script and script.is_file() else ["docker", "version"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    except OSError as e:
        return str(e)
    return None if done.returncode == 0 else (done.stderr.strip().splitlines() or ["docker does not answer"])[-1]
