import pytest

KEY = {"app": "shop", "secret": "PAYMENT_KEY"}


def test_names_are_the_platforms(caller, platform):
    platform.answers["listSecrets"] = 200, {"secrets": [{"name": "PAYMENT_KEY", "changedMs": 1}]}
    assert caller("secrets", "listSecrets", {"app": "shop"}).body["secrets"][0]["name"] == "PAYMENT_KEY"
    assert platform.last == ("listSecrets", {"parameters": {"app": "shop"}})


def test_one_is_forgotten(caller, platform):
    caller("secrets", "deleteSecret", KEY)
    assert platform.last == ("deleteSecret", {"parameters": KEY})


@pytest.mark.parametrize("name", ["1ST", "a b", "#", "", "x" * 129, None])
def test_what_is_no_name_is_refused(caller, platform, name):
    caller("secrets", "deleteSecret", {**KEY, "secret": name}).refuses("/parameters/secret")
    assert not platform.calls
