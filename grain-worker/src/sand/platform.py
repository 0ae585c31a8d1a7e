"""`context.platform`: operations of the platform, for an application that the operator has given a capability.

What a call may do is decided twice: by the capability, which names the grain's operations, and by the ticket of the request
that the grain handles, which names who asks and what he may. See docs/MANAGEMENT.md.
"""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from sand import values
from sand.connection import Connection
from sand.messages import ControlRequest
from sand.protocol import CONTROL


class Platform:
    __slots__ = ("_connection",)

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def call(self, operation: str, ticket: str, arguments: dict[str, Any] | None = None) -> tuple[int, Any]:
        """Status and body as the operation answers over HTTP, a problem (404, 409, …) too; None: it has no body.

        Numbers with a point or an exponent are Decimals: they may be a user's, and are told as they were written.

        :param operation: its operationId in openapi.yaml
        :param ticket: of the event that is being handled
        :param arguments: parameters (of the path), query, headers, body; each may be absent
        :raises Denied: the application has no capability for it, or the ticket gives none
        :raises TooLarge: over 512 KiB
        :raises Overloaded: too many calls are under way
        :raises Unavailable: there is nobody who could do it
        """
        encoded = values.to_json(arguments or {})
        reply = self._connection.call(CONTROL, ControlRequest(operation, ticket, encoded))
        return reply.status, json.loads(reply.body, parse_float=Decimal) if reply.body else None
