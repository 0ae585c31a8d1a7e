"""Two tenants of one platform, each with an owner who has signed in, a key, a revoked one and an application."""

from dataclasses import dataclass
from typing import Any

import httpx
from conftest import APPLICATIONS
from sand.command.bundle import zip_folder
from sand.command.client import Platform
from sand.command.deploy import deploy
from sand.command.local import LocalPlatform

SCOPES = ["invoke", "deploy", "read", "admin"]
PASSWORD = "correct-horse-battery"


@dataclass
class Tenant:
    """`headers` are those of its owner's session."""

    name: str
    key: str
    revoked: str
    headers: dict[str, str]
    execution: str = ""


@dataclass
class Tenants:
    local: LocalPlatform
    operator: str
    red: Tenant
    blue: Tenant

    def call(self, method: str, path: str, key: str | None = None, **options: Any) -> httpx.Response:
        return call(self.local, method, path, key, **options)


def call(
    local: LocalPlatform, method: str, path: str, key: str | None = None, address: str | None = None, **options: Any
) -> httpx.Response:
    if key is not None:
        options["headers"] = {"Authorization": f"Bearer {key}", **options.get("headers", {})}
    with httpx.Client(transport=httpx.HTTPTransport(local_address=address), timeout=120) as client:
        return client.request(method, local.server + path, **options)


def signed_in(local: LocalPlatform, user: str, address: str) -> dict[str, str]:
    answer = call(local, "POST", "/api/v1/sessions", json={"name": user, "password": PASSWORD}, address=address)
    assert answer.status_code == 201, answer.text
    return {"Cookie": answer.headers["Set-Cookie"].split(";")[0], "Sand-Csrf": answer.json()["csrf"]}


def joined(local: LocalPlatform, operator: str, tenant: str, user: str, address: str) -> dict[str, str]:
    """Invited by the operator, as an owner."""
    invited = call(local, "POST", f"/api/v1/tenants/{tenant}/invitations", operator, json={"role": "owner"})
    assert invited.status_code == 201, invited.text
    account = {"name": user, "password": PASSWORD, "invitation": invited.json()["invitation"]}
    made = call(local, "POST", "/api/v1/users", json=account, address=address)
    assert made.status_code == 201, made.text
    return signed_in(local, user, address)


def tenant(local: LocalPlatform, operator: str, name: str, address: str) -> Tenant:
    made = call(local, "POST", "/api/v1/tenants", operator, json={"name": name})
    assert (made.status_code, made.json()["state"]) == (201, "active")
    headers = joined(local, operator, name, f"{name}-owner", address)
    keys = []
    for _ in range(2):
        key = call(local, "POST", "/api/v1/keys", json={"name": "all", "scopes": SCOPES, "expires": "1d"}, headers=headers)
        assert (key.status_code, key.json()["tenant"]) == (201, name), key.text
        keys.append(key.json())
    assert call(local, "DELETE", f"/api/v1/keys/{keys[1]['id']}", headers=headers).status_code == 204
    found = Tenant(name, keys[0]["key"], keys[1]["key"], headers)
    with Platform(local.server, key=found.key) as platform:
        deploy(platform, zip_folder(APPLICATIONS / "probe"))
    return found
