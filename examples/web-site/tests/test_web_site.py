"""The two grains as plain functions."""

import base64
import runpy
from pathlib import Path

import pytest

GRAINS = Path(__file__).parent.parent / "grains"


def get(grain, path="", **headers):
    parameters = {"path": path} if path else {}
    event = {"method": "GET", "path": f"/{path}", "parameters": parameters, "headers": headers}
    return runpy.run_path(str(GRAINS / grain / "handler.py"))["handle"](event, None)


@pytest.mark.parametrize(("path", "title"), [("", "Grains"), ("index.html", "Grains"), ("about/", "About")])
def test_pages_are_found_by_name_and_by_folder(path, title):
    answer = get("pages", path)
    assert answer["status"] == 200
    assert f"<title>{title}</title>" in answer["body"]


@pytest.mark.parametrize("path", ["missing.html", "../handler.py", "/etc/passwd"])
def test_nothing_but_the_site_is_served(path):
    assert get("pages", path)["status"] == 404
    assert get("assets", path)["status"] == 404


def test_an_asset_that_the_browser_has_is_not_sent_again():
    first = get("assets", "grain.png")
    assert base64.b64decode(first["body"]).startswith(b"\x89PNG")
    again = get("assets", "grain.png", **{"if-none-match": first["headers"]["ETag"]})
    assert again["status"] == 304 and "body" not in again
