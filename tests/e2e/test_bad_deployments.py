"""Applications that cannot work are refused when they are deployed, with the reason; the version before goes on."""

import io
import json
import stat
import zipfile

import pytest
from conftest import Tested, is_problem, zipped

pytestmark = pytest.mark.slow

GOOD = "def handle(event, context):\n    return 'good'\n"
YAML = "name: {}\n"


def application(name: str, **files: str | bytes) -> dict[str, str | bytes]:
    """A good application, with files replaced or (None) left out."""
    made = {"sand.yaml": YAML.format(name), "grains/hello/handler.py": GOOD}
    for path, content in files.items():
        made[path] = content
    return {path: content for path, content in made.items() if content is not None}


def test_a_good_one_is_taken(tested: Tested):
    response = tested.deploy_files(application("good"))
    assert response.status_code == 201, response.text
    assert response.json()["version"] == 1
    assert tested.ask("good/hello") == "good"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import no_such_module\n", "no_such_module"),
        ("def handle(event, context:\n", "SyntaxError"),
        ("raise RuntimeError('at import')\n", "at import"),
        ("1/0\n", "ZeroDivisionError"),
    ],
)
def test_a_handler_that_does_not_import_is_refused_with_its_traceback(tested: Tested, code, expected):
    problem = is_problem(tested.deploy_files(application("broken", **{"grains/hello/handler.py": code})), 422, "grain")
    told = json.dumps(problem)
    assert expected in told
    assert "hello" in told
    assert "handler.py" in problem["stackTrace"]
    assert tested.http.get("/api/v1/applications/broken").status_code == 404


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"grains/hello/handler.py": "x = 1\n"}, "handle"),
        ({"grains/hello/handler.py": None, "grains/hello/other.py": GOOD}, "handler"),
        ({"sand.yaml": "name: broken\ngrains: {hello: {entry: 'handler:serve'}}\n"}, "serve"),
        ({"sand.yaml": "name: broken\ngrains: {hello: {entry: 'nowhere:handle'}}\n"}, "nowhere"),
        ({"sand.yaml": "name: broken\ngrains: {ghost: {}}\n"}, "ghost"),
    ],
)
def test_a_missing_entry_point_is_refused(tested: Tested, files, expected):
    response = tested.deploy_files(application("broken", **files))
    assert response.status_code in (400, 422), response.text
    assert expected in response.text


@pytest.mark.long
def test_an_import_that_never_ends_is_refused_in_time(tested: Tested):
    endless = application("broken", **{"grains/hello/handler.py": "import time\ntime.sleep(3600)\n"})
    response = tested.http.post("/api/v1/applications", content=zipped(endless), timeout=300)
    assert response.status_code in (422, 504), response.text


def entry(name: str, mode: int = stat.S_IFREG | 0o644) -> zipfile.ZipInfo:
    made = zipfile.ZipInfo(name)
    made.external_attr = mode << 16
    made.create_system = 3
    return made


@pytest.mark.parametrize(
    ("evil", "content"),
    [
        (entry("../outside.py"), "x"),
        (entry("grains/../../outside.py"), "x"),
        (entry("/etc/outside.py"), "x"),
        (entry("C:\\outside.py"), "x"),
        (entry("grains\\..\\..\\outside.py"), "x"),
        (entry("grains/hello/link.py", stat.S_IFLNK | 0o777), "/etc/passwd"),
        (entry("grains/hello/fifo", stat.S_IFIFO | 0o644), ""),
        (entry("grains/hello/\x00.py"), "x"),
    ],
    ids=lambda value: getattr(value, "filename", None),
)
def test_an_archive_that_reaches_outside_is_refused(tested: Tested, evil, content):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in application("evil").items():
            archive.writestr(name, text)
        archive.writestr(evil, content)
    response = tested.deploy_zip(buffer.getvalue())
    if response.status_code == 201:
        # Python's zipfile cuts a name at a NUL when it writes: then there was nothing evil left.
        assert "\x00" in evil.orig_filename
        return
    is_problem(response, 400 if response.status_code == 400 else 422)
    assert not (tested.home.parent / "outside.py").exists()


@pytest.mark.parametrize(
    "data",
    [b"", b"not a zip", b"PK\x03\x04 cut off", zipped({"sand.yaml": "name: x\n"})[:-30]],
    ids=["empty", "no zip", "a beginning", "cut off"],
)
def test_what_is_no_archive_is_refused(tested: Tested, data):
    assert tested.deploy_zip(data).status_code in (400, 422)


@pytest.mark.slow
def test_an_archive_that_unpacks_to_more_than_the_limit_is_refused(tested: Tested):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in application("bomb").items():
            archive.writestr(name, text)
        for number in range(5):
            archive.writestr(f"zeros{number}", bytes(256 << 20), compresslevel=1)
    response = tested.deploy_zip(buffer.getvalue())
    assert response.status_code == 413, response.text
    assert response.json()["limit"]


@pytest.mark.parametrize("name", ["", "Upper", "with space", "a/b", "../up", "-dash", "é", "x" * 64, "1digit", "null"])
def test_odd_application_names_are_refused(tested: Tested, name):
    response = tested.deploy_files({**application("x"), "sand.yaml": f"name: {json.dumps(name)}\n"})
    if name == "null":
        assert response.status_code == 201
        tested.http.delete("/api/v1/applications/null")
    else:
        assert response.status_code in (400, 422), response.text
        assert "name" in response.text


@pytest.mark.parametrize("grain", ["with space", "a.b", "1st", "x" * 64])
def test_odd_grain_names_are_refused(tested: Tested, grain):
    response = tested.deploy_files(application("odd", **{f"grains/{grain}/handler.py": GOOD}))
    assert response.status_code in (400, 422), response.text


@pytest.mark.parametrize(
    "yaml",
    [
        "name: x\nunknown: 1\n",
        "name: x\ngrains: {hello: {timeout: soon}}\n",
        "name: x\nsandbox: {memory: lots}\n",
        "- 1\n",
        "name: [\n",
    ],
)
def test_a_sand_yaml_that_means_nothing_is_refused(tested: Tested, yaml):
    response = tested.deploy_files(application("x", **{"sand.yaml": yaml}))
    assert response.status_code in (400, 422), response.text
    assert "sand.yaml" in response.text


def test_a_workflow_naming_a_missing_grain_is_refused_with_a_pointer(tested: Tested):
    states = {"StartAt": "A", "States": {"A": {"Type": "Task", "Resource": "nobody", "End": True}}}
    response = tested.deploy_files(application("broken", **{"workflows/main.asl.json": json.dumps(states)}))
    assert response.status_code in (400, 422), response.text
    assert "nobody" in response.text
    assert "/States/A/Resource" in response.text


@pytest.mark.parametrize(
    "definition",
    ["{", "{}", '{"StartAt": "A", "States": {}}', '{"StartAt": "A", "States": {"A": {"Type": "Task", "Resource": "hello"}}}'],
)
def test_a_workflow_that_is_none_is_refused(tested: Tested, definition):
    response = tested.deploy_files(application("broken", **{"workflows/main.asl.json": definition}))
    assert response.status_code in (400, 422), response.text


def test_the_version_before_goes_on_after_a_refusal(tested: Tested):
    assert tested.deploy_files(application("steady")).status_code == 201
    assert tested.deploy_files(application("steady", **{"grains/hello/handler.py": "1/0\n"})).status_code == 422
    assert tested.ask("steady/hello") == "good"
    assert [version["version"] for version in tested.api("steady", "versions")["versions"]] == [1]
