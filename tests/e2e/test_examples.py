"""The examples, deployed and called as their READMEs say."""

import json
import shutil
import sys
from pathlib import Path
from subprocess import PIPE, Popen, run
from typing import Any

import pytest
from conftest import CHECKOUT, Tested, until

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


@pytest.mark.slow
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


def test_the_stream_analytics_counts_the_words_of_a_language(tested: Tested) -> None:
    tested.deploy(EXAMPLES / "stream-analytics")
    found = tested.ask("stream-analytics/main", {"top": 3})
    assert (found["messages"], found["kept"], len(found["words"])) == (42, 26, 3)
    german = tested.ask("stream-analytics/main", {"texts": ["Das Brot ist warm", "The bread is warm"], "language": "de"})
    assert german["leftOut"] == {"en": 1}


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


def in_process(tested: Tested, application: str, process: str, function: str, event: Any = None, **headers: str):
    where = f"/api/v1/apps/{application}/processes/invoke"
    query = {"process": process, "function": function}
    response = tested.http.post(where, params=query, json=event, headers=headers, timeout=900)
    return response


def output(tested: Tested, application: str, process: str, function: str, event: Any = None) -> Any:
    response = in_process(tested, application, process, function, event)
    assert response.status_code == 200, response.text
    return response.json()


def test_the_reduction_adds_up_what_four_workers_were_given(tested: Tested):
    tested.deploy(EXAMPLES / "reduction")
    assert output(tested, "reduction", "root", "combine", {"round": "r1"}) is None
    for worker in range(1, 5):
        for number in range(3):
            assert output(tested, "reduction", f"w-{worker}", "add", [worker, 10]) == number + 1
    for worker in range(1, 5):
        output(tested, "reduction", f"w-{worker}", "total", {"root": "root", "round": "r1"})
    until(lambda: output(tested, "reduction", "root", "combine", {"round": "r1"}), "the sums are added up")
    assert output(tested, "reduction", "root", "combine", {"round": "r1"}) == {"count": 12, "vector": [30, 120]}


def test_k_means_over_four_workers_finds_the_centres(tested: Tested):
    tested.deploy(EXAMPLES / "k-means")
    workers = [f"w-{seed}" for seed in range(4)]
    for seed, worker in enumerate(workers):
        output(tested, "k-means", worker, "points", {"seed": seed, "count": 80, "clusters": 2})
    found = output(tested, "k-means", "w-0", "start", {"workers": workers, "clusters": 2, "rounds": 50})
    assert sorted([round(x, -1), round(y, -1)] for x, y in found["centres"]) == [[0, 0], [10, 10]]
    assert 1 < found["rounds"] < 50


@pytest.mark.slow
def test_members_of_a_chat_hear_each_other_over_the_data_plane(tested: Tested):
    tested.deploy(EXAMPLES / "chat")
    command = [sys.executable, "-P", str(EXAMPLES / "chat" / "chat.py"), tested.server, "garden"]
    programs = {name: Popen([*command, name], stdin=PIPE, stdout=PIPE, text=True) for name in ("ada", "bob")}
    for program in programs.values():
        assert program.stdout.readline().startswith("here: ")
    programs["ada"].stdin.write("hello\n")
    programs["ada"].stdin.flush()
    for program in programs.values():
        assert program.stdout.readline() == "ada: hello\n"
    for program in programs.values():
        assert program.communicate("\n", timeout=60)[0] == ""
        assert program.returncode == 0


BROWSER = """
import { connect } from "%s";
const room = await connect("%s", "chat", "hall");
const names = await room.invoke("join", { name: "eve" });
const heard = room.invoke("listen", { name: "eve", seconds: 30 });
for (let i = 0; i < 45; i++) await room.invoke("say", { name: "eve", text: "é".repeat(1990) });
const lines = [...(await heard), ...(await room.invoke("listen", { name: "eve", seconds: 0 }))];
const refused = await room.invoke("say", { name: "nobody", text: "?" }).catch((error) => error.message);
console.log(JSON.stringify([names, lines.length, lines.at(-1).text.length, refused]));
room.close();
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node")
def test_the_chats_page_speaks_over_a_web_socket(tested: Tested, tmp_path: Path):
    tested.deploy(EXAMPLES / "chat")
    page = tested.http.get("/web/chat/")
    assert page.headers["content-type"].startswith("text/html") and "data-plane.js" in page.text
    (tmp_path / "data-plane.mjs").write_text(tested.http.get("/web/chat/data-plane.js").text)
    (tmp_path / "member.mjs").write_text(BROWSER % ("./data-plane.mjs", tested.server))
    command = ["node", "--experimental-websocket", str(tmp_path / "member.mjs")]
    done = run(command, capture_output=True, text=True, timeout=90)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [["eve"], 45, 1990, "LookupError: nobody is not in room hall"]


LATEX = r"\documentclass{article}\begin{document}\section{One}\label{one}See \ref{one}. \input{rest}\end{document}"


@pytest.fixture(scope="module")
def latex(tested: Tested) -> Tested:
    tested.deploy(EXAMPLES / "latex")
    return tested


def test_a_latex_document_without_tex_says_how_to_get_it(latex: Tested):
    assert output(latex, "latex", "plain", "update", {"name": "main.tex", "text": LATEX}) == ["main.tex"]
    assert output(latex, "latex", "plain", "get", {"name": "main.tex"})["text"] == LATEX
    refused = in_process(latex, "latex", "plain", "compile", {})
    if refused.json().get("error") != "TexIsMissing":
        pytest.skip("the sandbox has the machine's TeX")
    assert "texlive-latex-base" in refused.json()["detail"]


@pytest.mark.long
@pytest.mark.docker
def test_a_latex_document_with_debians_tex_is_compiled(latex: Tested):
    if latex.status()["sandboxKind"] == "process":
        pytest.skip("packages are installed into containers")
    dedicated = {"packages": ["texlive-latex-base"]}
    made = latex.http.post("/api/v1/apps/latex/processes", json={"id": "thesis", "dedicated": dedicated})
    assert made.status_code == 201, made.text
    first = {"name": "main.tex", "text": LATEX}
    answer = in_process(latex, "latex", "thesis", "update", first, **{"Sand-Timeout": "600s"})
    assert answer.status_code == 200, answer.text
    output(latex, "latex", "thesis", "update", {"name": "rest.tex", "text": "The rest."})
    assert output(latex, "latex", "thesis", "compile", {})["runs"] == 2
    pdf = in_process(latex, "latex", "thesis", "pdf")
    assert pdf.headers["content-type"] == "application/pdf" and pdf.content.startswith(b"%PDF")
    output(latex, "latex", "thesis", "update", {"name": "rest.tex", "text": r"\unknown"})
    failed = in_process(latex, "latex", "thesis", "compile", {}).json()
    assert failed["error"] == "TexFailed" and "Undefined control sequence" in failed["detail"]
    assert latex.http.post("/api/v1/apps/latex/processes/thesis/swap-out").status_code == 200
    assert in_process(latex, "latex", "thesis", "pdf").content == pdf.content
