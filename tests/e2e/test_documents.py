"""The documents name files and links that exist: a newcomer follows them."""

import re
import subprocess

import pytest
from conftest import CHECKOUT
from sand.command.main import SUBCOMMANDS

DOCUMENTS = [
    CHECKOUT / "README.md",
    *sorted((CHECKOUT / "docs").rglob("*.md")),
    *sorted((CHECKOUT / "examples").glob("*/README.md")),
]
# Users' files, not ours.
OF_APPLICATIONS = {"handler.py", "setup.py", "requirements.txt", "prices.py", "test_shop.py", "test_events.py"}


@pytest.fixture(scope="module")
def names() -> set[str]:
    ignored = {".git", ".sand", "target", "node_modules"}
    found = set()
    for path in CHECKOUT.rglob("*"):
        if not ignored & set(path.relative_to(CHECKOUT).parts):
            found.add(path.name)
    return found


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(CHECKOUT)))
def test_what_a_document_names_is_there(document, names):
    text = document.read_text()
    files = {name.rpartition("/")[2] for name in re.findall(r"[\w./…-]+\.(?:java|py|thrift|sh)\b", text)}
    assert not files - names - OF_APPLICATIONS
    prose = re.sub(r"```.*?```", "", text, flags=re.S)
    links = [link.partition("#")[0] for link in re.findall(r"\]\(([^)]+)\)", prose) if "://" not in link]
    assert not [link for link in links if link and not (document.parent / link).exists()]


def test_the_checkouts_command_tells_of_every_word():
    said = subprocess.run([CHECKOUT / "sand", "--help"], capture_output=True, text=True, check=True).stdout
    words = re.findall(r"\w+", said.partition("sand command:")[2].partition("`")[0])
    assert sorted(words) == sorted(SUBCOMMANDS)
