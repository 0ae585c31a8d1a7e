import pytest

KEY = {"app": "shop", "secret": "PAYMENT_KEY"}


def test_a_secret_goes_in_and_its_name_comes_out(caller, platform, sand_application):
    put = caller.of(user="ada")("secrets", "putSecret", KEY, body={"value": "a sealed box"})
    assert (put.status, put.body["name"], put.body["by"], "box" in put.body) == (200, "PAYMENT_KEY", "ada", False)
    listed = caller("secrets", "listSecrets", {"app": "shop"}).body["secrets"]
    assert listed == [put.body]
    rows = sand_application.data.table("secrets/shop")
    assert (rows.get("PAYMENT_KEY")["box"], rows.get("#")) == ("a sealed box", 1)
    assert caller("secrets", "deleteSecret", KEY).status == 204
    assert (rows.get("PAYMENT_KEY"), rows.get("#")) == (None, 2)
    assert caller("secrets", "deleteSecret", KEY).kind == "unknown-secret"
    assert caller("secrets", "listSecrets", {"app": "shop"}).body == {"secrets": []}


def test_a_tenants_secrets_are_under_the_name_that_hosts_know(caller, sand_application):
    caller.of(tenant="acme")("secrets", "putSecret", {"app": "till", "secret": "PIN"}, body={"value": "box"})
    assert sand_application.data.table("secrets/0acme-till").get("PIN")["box"] == "box"


@pytest.mark.parametrize(
    ("name", "body", "pointer"),
    [
        ("lower", {"value": "x"}, "/parameters/secret"),
        ("#", {"value": "x"}, "/parameters/secret"),
        ("A", {"value": ""}, "/body/value"),
        ("A", {"value": {"plain": "x"}}, "/body/value"),
        ("A", {"value": "x" * (49 << 10)}, "/body/value"),
        ("A", {"value": "x", "plain": "y"}, "/body/plain"),
    ],
)
def test_odd_secrets_are_refused(caller, name, body, pointer):
    caller("secrets", "putSecret", {"app": "shop", "secret": name}, body=body).refuses(pointer)
