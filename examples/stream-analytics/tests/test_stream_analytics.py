"""The grains as plain functions, and the workflow in the emulator."""

import runpy
from pathlib import Path
from unittest.mock import Mock

import pytest

APPLICATION = Path(__file__).parent.parent


def call(grain, event):
    return runpy.run_path(str(APPLICATION / "grains" / grain / "handler.py"))["handle"](event, Mock())


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The rain has stopped and the street is dry", "en"),
        ("Der Regen hat aufgehört und die Straße ist nass", "de"),
        ("La pluie est finie et les rues sont vides", "fr"),
        ("El perro está en la panadería y no quiere salir", "es"),
        ("12:45 +++ https://the.and.of/is", "unknown"),
        ("", "unknown"),
    ],
)
def test_a_language_is_known_by_its_small_words(text, language):
    assert call("language", {"text": text, "wanted": "en"}) == {"text": text, "wanted": "en", "language": language}


def test_links_names_numbers_and_stop_words_are_out():
    text = "The baker's bread, 12 loaves: https://bread.example/the?a=b www.x.example @baker don\u2019t #bread"
    assert call("clean", {"text": text}) == {"words": ["baker's", "bread", "loaves", "don't", "bread"]}


def test_words_are_counted_over_all_messages_the_most_frequent_first():
    messages = [{"words": ["b", "a", "b"]}, {"words": ["c", "a"]}, {"language": "de"}, {"words": []}]
    counted = call("count", {"messages": messages, "top": 2})
    assert counted == {
        "messages": 4,
        "kept": 3,
        "leftOut": {"de": 1},
        "words": [{"word": "a", "count": 2}, {"word": "b", "count": 2}],
    }


def test_what_is_no_list_of_texts_is_refused():
    for texts in ("text", [1], ["x"] * 1001):
        with pytest.raises(ValueError, match="at most 1000 texts"):
            call("stream", {"texts": texts})


def test_every_sample_is_of_a_language_that_is_known_but_two():
    languages = [call("language", {"text": text})["language"] for text in call("stream", None)["texts"]]
    assert {language: languages.count(language) for language in set(languages)} == {
        "en": 26,
        "de": 6,
        "fr": 4,
        "es": 4,
        "unknown": 2,
    }


def test_the_workflow_over_the_samples(sand_application):
    found = sand_application.invoke("main", {"top": 5}).output
    assert (found["messages"], found["kept"]) == (42, 26)
    assert found["leftOut"] == {"de": 6, "es": 4, "fr": 4, "unknown": 2}
    assert found["words"][0]["count"] >= found["words"][4]["count"] > 1
    assert {"harbour", "bread"} <= {word["word"] for word in found["words"]}


def test_the_workflow_in_another_language(sand_application):
    found = sand_application.invoke(
        "main", {"texts": ["Das Brot ist warm und gut", "The bread is warm"], "language": "de", "top": 1}
    ).output
    assert (found["kept"], found["leftOut"]) == (1, {"en": 1})
