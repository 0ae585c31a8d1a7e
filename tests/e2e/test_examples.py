"""The examples, deployed and called as their READMEs say."""

import json
import sys

import pytest
from conftest import CHECKOUT, Tested

EXAMPLES = CHECKOUT / "examples"


@pytest.fixture(scope="module")
def photographs():
    sys.path.insert(0, str(EXAMPLES / "image-pipeline"))
    from photographs import fetch

    return fetch(CHECKOUT / ".sand/photographs")


@pytest.fixture(scope="module")
def pipeline(tested: Tested) -> Tested:
    tested.deploy(EXAMPLES / "image-pipeline")
    return tested


@pytest.mark.parametrize(("name", "objects"), [("grace-hopper.jpg", ["eye", "face", "smile"]), ("cat.png", ["cat face"])])
def test_the_image_pipeline_recognises_what_is_in_a_photograph(pipeline: Tested, photographs, name, objects):
    response = pipeline.http.post(
        "/invoke/image-pipeline/main", content=photographs[name].read_bytes(), headers={"Content-Type": "image/*"}
    )
    assert response.status_code == 200, response.text
    result = response.json()
    assert result["objects"] == objects
    thumbnail = pipeline.http.get(f"/web/image-pipeline/{result['thumbnail']}")
    assert thumbnail.headers["content-type"] == "image/jpeg"
    assert thumbnail.content.startswith(b"\xff\xd8") and len(thumbnail.content) == result["size"]
    metadata = pipeline.http.get(f"/web/image-pipeline/{result['metadata']}").json()
    assert sorted({found["name"] for found in metadata["objects"]}) == objects
    assert {"format", "width", "height"} <= set(metadata)
    hops = pipeline.hops("image-pipeline", response.headers["Sand-Execution-Id"])
    assert [hop["grain"] for hop in hops] == ["extract", "verify", "recognise", "thumbnail"]


def test_the_image_pipeline_refuses_what_is_no_photograph(pipeline: Tested):
    response = pipeline.http.post(
        "/invoke/image-pipeline/main", content=b"no photograph", headers={"Content-Type": "image/png"}
    )
    assert response.status_code == 500
    assert response.json()["source"] == "grain"
    assert response.json()["error"] == "UnidentifiedImageError"


@pytest.mark.parametrize(
    ("path", "kind", "begin"),
    [
        ("", "text/html", b"<!doctype html>"),
        ("about/", "text/html", b"<!doctype html>"),
        ("robots.txt", "text/plain", b"User-agent"),
        ("assets/style.css", "text/css", b"body"),
        ("assets/clock.js", "text/javascript", b"document"),
        ("assets/dune.svg", "image/svg+xml", b"<svg"),
        ("assets/grain.png", "image/png", b"\x89PNG"),
    ],
)
def test_the_web_site_serves_files_of_several_types(web_site: Tested, path, kind, begin):
    response = web_site.http.get(f"/web/web-site/{path}")
    assert response.status_code == 200, response.text
    assert response.headers["content-type"].startswith(kind)
    assert response.content.startswith(begin)


@pytest.fixture(scope="module")
def web_site(tested: Tested) -> Tested:
    tested.deploy(EXAMPLES / "web-site")
    return tested


def test_the_web_site_has_no_page_for_what_is_not_there(web_site: Tested):
    response = web_site.http.get("/web/web-site/missing")
    assert response.status_code == 404
    assert "Not here" in response.text
    assert web_site.http.get("/web/web-site/assets/..%2f..%2fhandler.py").status_code in (400, 404)


def test_the_web_site_does_not_send_again_what_the_browser_has(web_site: Tested):
    first = web_site.http.get("/web/web-site/assets/dune.svg")
    again = web_site.http.get("/web/web-site/assets/dune.svg", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.fixture(scope="module")
def scanner(tested: Tested):
    sys.path.insert(0, str(EXAMPLES / "mail-scanner"))
    import messages

    tested.deploy(EXAMPLES / "mail-scanner")
    return tested, messages


def test_the_mail_scanner_joins_three_scans(scanner):
    tested, messages = scanner
    for message, verdict in ((messages.clean(), "clean"), (messages.infected(), "infected")):
        response = tested.http.post("/invoke/mail-scanner/main", content=message, headers={"Content-Type": "message/rfc822"})
        assert response.status_code == 200, response.text
        assert response.json()["verdict"] == verdict
        hops = tested.hops("mail-scanner", response.headers["Sand-Execution-Id"])
        assert sorted(hop["grain"] for hop in hops[1:4]) == ["attachments", "headers", "links"]
    assert "test-signature" in json.dumps(response.json())
