"""Who calls, and what he may. The frontend has checked the credential; what may be done with it is decided by each grain."""

from __future__ import annotations

import re

from manage.reply import denied, unknown

SCOPES = ("invoke", "deploy", "read", "admin", "operator")
ROLES = {
    "viewer": ("read",),
    "developer": ("read", "invoke", "deploy"),
    "owner": ("read", "invoke", "deploy", "admin"),
}
_TENANT = re.compile(r"[a-z][a-z0-9]{1,19}")


class Who:
    """:param kind: "local", "operator", "key", "session" or "system" (the platform itself, on a schedule)"""

    __slots__ = ("id", "kind", "scopes", "tenant", "user")

    def __init__(self, kind, id, user, tenant, scopes):
        self.kind = kind
        self.id = id
        self.user = user
        self.tenant = tenant
        self.scopes = scopes

    @staticmethod
    def of(said):
        """Who says nothing, or something odd, may nothing."""
        said = said if isinstance(said, dict) else {}
        tenant = said.get("tenant")
        if not isinstance(tenant, str) or not _TENANT.fullmatch(tenant):
            tenant = None
        given = said.get("scopes")
        scopes = frozenset(given).intersection(SCOPES) if isinstance(given, list) and tenant else frozenset()
        return Who(said.get("kind") or "nobody", said.get("id"), said.get("user"), tenant, scopes)

    @property
    def name(self):
        """For rows that say by whom."""
        return self.user or self.id or self.kind

    def require_user(self):
        """His name. :raises Problem: 403: a key, say, has none"""
        if not isinstance(self.user, str) or not self.user:
            raise denied("This is for users who have signed in; a key, or the machine itself, is none.")
        return self.user

    @property
    def is_operator(self):
        return "operator" in self.scopes

    def require(self, scope):
        """:raises Problem: 403 with the scope that is missing. :param scope: None: the operation decides itself"""
        if scope is None or scope in self.scopes:
            return
        has = ", ".join(each for each in SCOPES if each in self.scopes) or "nothing"
        raise denied(f"This needs the scope '{scope}'; what was shown has {has}.", scope=scope)

    def require_tenant(self, tenant):
        """The tenant itself, or the operator: to everybody else there is no such tenant. :raises Problem: 404"""
        if tenant != self.tenant and not self.is_operator:
            raise unknown("tenant", f"There is no tenant '{tenant}' here.")
