"""The grains as plain functions on the real photographs, with a dictionary for the data layer."""

import json
import runpy
import sys
from pathlib import Path
from unittest.mock import Mock

import pytest

pytest.importorskip("cv2", reason="needs the requirements of the grains: pip install -r grains/*/requirements.txt")
APPLICATION = Path(__file__).parent.parent
sys.path.insert(0, str(APPLICATION))
from photographs import fetch  # noqa: E402


class Data(dict):
    put = dict.__setitem__


@pytest.fixture(scope="session")
def photographs():
    return fetch(APPLICATION.parent.parent / ".sand/photographs")


def run(photograph: bytes):
    context = Mock(execution_id="01TEST", data=Data())
    event = photograph
    for grain in ("extract", "verify", "recognise", "thumbnail"):
        event = runpy.run_path(str(APPLICATION / "grains" / grain / "handler.py"))["handle"](event, context)
    return event, context.data


def test_a_person_is_recognised(photographs):
    result, data = run(photographs["grace-hopper.jpg"].read_bytes())
    assert result["objects"] == ["eye", "face", "smile"]
    stored = json.loads(data[result["metadata"]])
    assert (stored["width"], stored["height"]) == (512, 600)
    assert data[result["thumbnail"]].startswith(b"\xff\xd8")


def test_a_cat_is_no_person(photographs):
    assert run(photographs["cat.png"].read_bytes())[0]["objects"] == ["cat face"]


def test_what_is_too_small_is_refused():
    verify = runpy.run_path(str(APPLICATION / "grains/verify/handler.py"))
    with pytest.raises(verify["Unsuitable"], match="width"):
        verify["handle"]({"photo": "x", "metadata": {"format": "JPEG", "width": 3, "height": 900, "exif": {}}}, Mock())
