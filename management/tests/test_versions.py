import pytest


@pytest.mark.parametrize("version", ["3", "live", "Blue_1"])
def test_a_version_is_a_number_or_an_alias(caller, platform, version):
    assert caller("versions", "describeVersion", {"app": "shop", "version": version}).status == 200
    assert platform.last == ("describeVersion", {"parameters": {"app": "shop", "version": version}})


@pytest.mark.parametrize("version", ["", "-1", "1.5", "a b", "../1", "1234567890"])
def test_what_cannot_be_a_version_is_none(caller, platform, version):
    answer = caller("versions", "describeVersion", {"app": "shop", "version": version})
    assert (answer.status, answer.kind) == (404, "unknown-version")
    assert answer.body["detail"] == f"Application 'shop' has no version or alias '{version}'."
    assert not platform.calls


def test_two_are_compared(caller, platform):
    caller("versions", "compareVersions", {"app": "shop", "version": "1"}, {"to": "live"})
    assert platform.last == ("compareVersions", {"parameters": {"app": "shop", "version": "1"}, "query": {"to": "live"}})


def test_with_nothing_it_is_not_compared(caller):
    answer = caller("versions", "compareVersions", {"app": "shop", "version": "1"})
    answer.refuses("/query/to", "The query parameter 'to' is missing.")


def test_all_of_them(caller, platform):
    caller("versions", "listVersions", {"app": "shop"})
    assert platform.last == ("listVersions", {"parameters": {"app": "shop"}})
