"""Compiles the document with pdflatex. The PDF, and what TeX notes for its next run, become the process's state."""

import shutil
import subprocess
import tempfile
from pathlib import Path

SECONDS = 45
# Read again by the next run: references, the table of contents.
NOTES = (".aux", ".toc", ".lof", ".lot")
HOW = (
    "there is no pdflatex in this sandbox: make the document's process with it, "
    'POST …/processes {"id": …, "dedicated": {"packages": ["texlive-latex-base"]}}, where sandboxes are containers'
)


class TexIsMissing(Exception):
    pass


class TexFailed(Exception):
    pass


def handle(event, context):
    """:param event: {"main": the file to begin with}; returns {"bytes" of the PDF, "runs"}"""
    if shutil.which("pdflatex") is None:
        raise TexIsMissing(HOW)
    process, main = context.process, event.get("main", "main.tex")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for key in process.state_keys():
            if key.startswith("file/"):
                (folder / key.removeprefix("file/")).write_text(process.state(key))
            elif key.startswith("note/"):
                (folder / key.removeprefix("note/")).write_bytes(process.state(key))
        if not (folder / main).is_file():
            raise LookupError(f"the document has no file {main}")
        runs, notes = 0, None
        while runs < 3 and notes != (notes := notes_of(folder)):
            run(folder, main)
            runs += 1
        for name, content in notes_of(folder).items():
            process.state(f"note/{name}", content)
        pdf = (folder / main).with_suffix(".pdf").read_bytes()
    process.state("pdf", pdf)
    return {"bytes": len(pdf), "runs": runs}


def notes_of(folder):
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir()) if file.suffix in NOTES}


def run(folder, main):
    # No shell from within TeX, and no files outside of its folder: the document is a stranger's.
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", main]
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(folder), "TEXMFVAR": str(folder / "texmf")}
    environment |= {"openin_any": "p", "openout_any": "p"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=SECONDS)
    if done.returncode != 0:
        said = [line for line in done.stdout.decode(errors="replace").splitlines() if line.startswith(("!", "l."))]
        raise TexFailed("\n".join(said) or done.stdout.decode(errors="replace")[-500:])
