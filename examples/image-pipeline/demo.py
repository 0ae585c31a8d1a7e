"""`./sand demo`: the image pipeline on a platform of its own, on two real photographs, with where the time went."""

import json
import os
import sys
from pathlib import Path

from sand.command.bundle import zip_folder
from sand.command.client import Platform, application_path
from sand.command.deploy import deploy
from sand.command.failure import Failure
from sand.command.invocations import show_timeline
from sand.command.local import LocalPlatform
from sand.command.output import say
from sand.command.program import default_home

APPLICATION = Path(__file__).parent
sys.path.insert(0, str(APPLICATION))
from photographs import fetch  # noqa: E402


def main() -> int:
    local = Path(os.environ["SAND_CHECKOUT"]) / ".sand"
    photographs = fetch(local / "photographs")
    results = local / "demo"
    results.mkdir(parents=True, exist_ok=True)
    try:
        # A home of its own that stays: the second time, the application's requirements are installed already.
        home = default_home().with_name("sand-demo")
        home.mkdir(parents=True, exist_ok=True)
        with LocalPlatform(home=home) as platform, Platform(platform.server) as http:
            kind = http.get("/api/v1/status")["hosts"][0]["sandboxKind"]
            say(f"a platform runs at {platform.server}; its sandboxes: {kind}")
            if kind == "process":
                say("warning: no Docker engine answers, so these sandboxes do not isolate files and network")
            say("deploying examples/image-pipeline (requirements are installed once)")
            deploy(http, zip_folder(APPLICATION))
            say("first call: the sandbox starts, workers load the code, instances are forked ahead")
            first = next(iter(photographs.values()))
            cold = invoke(http, first)
            print(f"first call, sandbox not running: {cold.elapsed.total_seconds() * 1000:.0f} ms")
            for name, photograph in photographs.items():
                show(http, name, photograph, results)
    except Failure as e:
        say(f"demo: {e.title}")
        for line in e.lines:
            say(f"  {line}")
        return e.code
    return 0


def invoke(http: Platform, photograph: Path):
    kind = "image/png" if photograph.suffix == ".png" else "image/jpeg"
    return http.call("POST", "/invoke/image-pipeline/main", body=photograph.read_bytes(), headers={"Content-Type": kind})


def show(http: Platform, name: str, photograph: Path, results: Path) -> None:
    """Runs the pipeline on one photograph; prints its result and times, writes its thumbnail and metadata beside."""
    response = invoke(http, photograph)
    result = response.json()
    execution = response.headers["Sand-Execution-Id"]
    print(f"\n{name}: {', '.join(result['objects']) or 'nothing'} recognised; {response.elapsed.total_seconds() * 1000:.1f} ms")
    print(json.dumps(result, indent=2))
    for stored in (result["thumbnail"], result["metadata"]):
        data = http.call("GET", f"/web/image-pipeline/{stored}").content
        path = results / f"{photograph.stem}-{stored.rpartition('/')[2]}"
        path.write_bytes(data)
        print(f"{path.name.rpartition('-')[2]}: {path}")
    show_timeline(http.get(application_path("image-pipeline", "invocations", execution, "timeline")))


if __name__ == "__main__":
    sys.exit(main())
