"""The web GUI as the frontend serves it, and a walk through it in a browser (gui/walk)."""

import re
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import APPLICATIONS, CHECKOUT, Tested, is_problem, sandbox_option, until
from sand.command.bundle import zip_folder
from sand.command.client import Platform
from sand.command.deploy import deploy
from sand.command.local import LocalPlatform
from walks import walk

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def tested() -> Iterator[Tested]:
    """A platform of its own: the walks begin with an empty one, and arm, drop and kill what they find."""
    with LocalPlatform(*sandbox_option()) as local:
        yield Tested(local)


@pytest.fixture(scope="module")
def page(tested: Tested) -> str:
    response = tested.http.get("/ui/")
    assert response.status_code == 200, response.text
    return response.text


def test_a_browser_that_asks_for_the_root_is_led_to_the_gui_and_a_program_is_not(tested: Tested) -> None:
    for path in ("/", "/ui"):
        led = tested.http.get(path, headers={"Accept": "text/html,*/*;q=0.8"})
        # Relative: below a path of its own behind a proxy it leads to the same place.
        assert (led.status_code, led.headers["location"]) == (302, "ui/")
    is_problem(tested.http.get("/"), 404)
    is_problem(tested.http.post("/", headers={"Accept": "text/html"}), 404)


def test_the_page_is_never_kept_and_its_assets_for_ever(tested: Tested, page: str) -> None:
    assert tested.http.get("/ui/").headers["cache-control"] == "no-store"
    assets = re.findall(r'="\./(assets/[^"]+)"', page)
    assert assets
    for name in assets:
        response = tested.http.get(f"/ui/{name}", headers={"Accept-Encoding": "gzip"})
        assert response.status_code == 200
        assert response.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert response.headers["content-encoding"] == "gzip"
        plain = tested.http.get(f"/ui/{name}", headers={"Accept-Encoding": "identity"})
        assert "content-encoding" not in plain.headers
        assert plain.content == response.content


@pytest.mark.usefixtures("page")
def test_whatever_the_gui_answers_has_a_strict_policy(tested: Tested) -> None:
    headers = tested.http.get("/ui/index.html").headers
    assert headers["content-security-policy"].startswith("default-src 'self';")
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("path", ["/ui/nothing.js", "/ui/assets/", "/ui/META-INF/MANIFEST.MF", "/uinothing"])
def test_what_is_not_there_is_a_problem_as_anywhere(tested: Tested, path: str) -> None:
    is_problem(tested.http.get(path), 404)


def test_nothing_above_the_gui_is_served(tested: Tested) -> None:
    is_problem(tested.http.get("/ui/%2e%2e/%2e%2e/META-INF/MANIFEST.MF"), 400)


# What these look at is the management's: keys, and who moved an alias or armed a trigger.
MANAGED = {"settings.mjs", "versions.mjs", "queues.mjs"}


@pytest.mark.usefixtures("page")
@pytest.mark.parametrize(
    ("script", "application"),
    [
        # Home, application, workflow, a run of it watched live, a failing one redriven, logs; each without a violation by axe.
        ("walk.mjs", APPLICATIONS / "gate"),
        # A process made, seen, swapped out and in, and killed; the host that it was on.
        ("processes.mjs", CHECKOUT / "examples/chat"),
        # A trigger armed and disarmed, and who did; topics; a message that becomes a dead letter, sent again and dropped.
        ("queues.mjs", APPLICATIONS / "events"),
        # An example made in the browser; a folder with its differences; a single grain; and what is refused.
        ("upload.mjs", APPLICATIONS / "gate"),
        # What differs between two versions, promoted, rolled back, given an alias, and by whom; their files.
        ("versions.mjs", None),
        # A failing grain: its error and line, mended in the editor, saved, redriven; a conflict, a refusal, a reload.
        ("grain.mjs", None),
        # An event chosen, edited, saved, found again after a reload and by somebody else, overtaken, deleted.
        ("events.mjs", CHECKOUT / "examples/mail-scanner"),
        # A definition and its graph follow each other; states put in by keyboard and mouse, saved and run.
        ("workflow.mjs", None),
        # Three examples, deployed with one click each and run; one again with another input.
        ("examples.mjs", None),
        # The connection is lost while an execution is watched, and the page catches up.
        ("lost.mjs", APPLICATIONS / "gate"),
        # What applications did lately, in figures and over time.
        ("home.mjs", APPLICATIONS / "gate"),
        # What an application is for, its triggers and names of what its grains are given; deleted by its name.
        ("application.mjs", None),
        # A value made, edited, overtaken by somebody else, deleted.
        ("data.mjs", APPLICATIONS / "gate"),
        # A secret set, and deleted; its value comes back nowhere.
        ("secrets.mjs", APPLICATIONS / "gate"),
        # An API key made, shown once, revoked; what the audit log says of it.
        ("settings.mjs", None),
        # Below a path of its own, behind a proxy.
        ("below.mjs", APPLICATIONS / "gate"),
        # The two pictures of the README.
        ("pictures.mjs", APPLICATIONS / "gate"),
        # Markup, bytes, a million keys in a tree, brackets in brackets; an input run again; how soon the first page is there.
        ("values.mjs", None),
    ],
)
def test_a_walk_through_the_gui(tested: Tested, script: str, application: Path | None) -> None:
    if script in MANAGED:
        until(lambda: tested.http.get("/api/v1/management").json()["version"], "management does operations", 180)
    if application:
        tested.sand("deploy", str(application))
    walk(script, tested.server, *([str(application)] if application else []))


@pytest.mark.usefixtures("page")
def test_a_walk_where_a_key_is_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "operator.key"
    file.write_text(secrets.token_urlsafe(32))
    with LocalPlatform(*sandbox_option(), "--operator-key", str(file)) as local:
        with Platform(local.server, key=file.read_text()) as platform:
            deploy(platform, zip_folder(APPLICATIONS / "gate"))
        walk("key.mjs", local.server, SAND_KEY=file.read_text())


# Answers that it is there, and fails at whatever it is asked for.
BROKEN = """
def handle(event, context):
    if event["operation"] == "ready":
        return {"status": 200}
    raise ValueError("broken")
"""

# A grain that answers all else.
ROLLS_NOTHING_BACK = """

def handle(event, context, whole=handle):
    if event["operation"] == "rollback":
        raise ValueError("broken")
    return whole(event, context)
"""


@pytest.mark.usefixtures("page")
def test_a_walk_where_grains_of_the_management_are_broken(tmp_path: Path) -> None:
    folder = tmp_path / "management"
    shutil.copytree(CHECKOUT / "management", folder)
    for grain in ("applications", "logs"):
        (folder / "grains" / grain / "handler.py").write_text(BROKEN)
    with (folder / "grains/aliases/handler.py").open("a") as handler:
        handler.write(ROLLS_NOTHING_BACK)
    gate = shutil.copytree(APPLICATIONS / "gate", tmp_path / "gate")
    with LocalPlatform(*sandbox_option(), "--management", str(folder)) as local:
        tested = Tested(local)
        until(lambda: tested.http.get("/api/v1/management").json()["version"], "management does operations", 180)
        tested.sand("deploy", str(gate))
        (gate / "README.md").write_text("the second version\n")
        tested.sand("deploy", str(gate))
        walk("broken.mjs", local.server)


@pytest.mark.usefixtures("page")
def test_a_walk_that_closes_the_platform() -> None:
    with LocalPlatform(*sandbox_option()) as local:
        tested = Tested(local)
        tested.sand("deploy", str(APPLICATIONS / "gate"))
        until(lambda: tested.http.get("/api/v1/management").json()["version"], "management does operations", 180)
        walk("accounts.mjs", local.server)


@pytest.mark.usefixtures("page")
def test_a_walk_of_two_tenants_in_two_browsers(tmp_path: Path) -> None:
    file = tmp_path / "operator.key"
    key = secrets.token_urlsafe(32)
    file.write_text(key)
    with LocalPlatform(*sandbox_option(), "--operator-key", str(file), "--management", "on") as local:
        with Platform(local.server, key=key) as platform:
            until(lambda: platform.get("/api/v1/management")["version"], "management does operations", 180)
        walk("tenants.mjs", local.server, SAND_KEY=key)


def test_a_walk_through_ten_thousand_executions() -> None:
    """More than a page could hold as rows: those that are seen are there."""
    with LocalPlatform(*sandbox_option(), "--keep-executions", "100000") as local:
        walk("many.mjs", local.server, "10000")
