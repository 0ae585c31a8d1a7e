"""What `context` raises in a handler. Uncaught, the execution fails under the error's stable name (dev.sand.event.Errors)."""


class SandError(Exception):
    """An error of the platform's, with the name that workflows match in Retry and Catch."""

    error = "Sand.Unavailable"


class BusRefusal(SandError):
    """The host agent refused a call under a name that has no class here."""

    def __init__(self, error: str, message: str) -> None:
        super().__init__(message)
        self.error = error


class NotFound(SandError):
    error = "Sand.NotFound"


class Conflict(SandError):
    """The value has another version than the one given as `if_version`."""

    error = "Sand.Conflict"


class TooLarge(SandError):
    error = "Sand.TooLarge"


class Unserializable(SandError):
    """A value that is neither JSON, bytes nor an array."""

    error = "Sand.Unserializable"


class BadRequest(SandError):
    error = "Sand.BadRequest"


class Denied(SandError):
    error = "Sand.Denied"


class Unavailable(SandError):
    """The host agent does not answer."""


class UnknownGrain(SandError):
    """`context.publish` named a grain that the application does not have."""

    error = "Sand.UnknownGrain"


class Overloaded(BusRefusal):
    """Something bounded is full: a queue, a process's mailbox, the invocations that wait in a process."""

    error = "Sand.Overloaded"

    def __init__(self, message: str) -> None:
        super().__init__(self.error, message)


class Timeout(SandError, TimeoutError):
    """What was waited for has not come in time."""

    error = "Sand.Timeout"


class InvocationFailed(SandError):
    """A function that was invoked in a process ended without a result. `error` and `cause` are its own."""

    def __init__(self, error: str, cause: str) -> None:
        super().__init__(cause)
        self.error = error
        self.cause = cause


_BY_NAME = {cls.error: cls for cls in (NotFound, Conflict, TooLarge, BadRequest, Denied, Unavailable, UnknownGrain, Overloaded)}


def refusal(error: str, message: str) -> SandError:
    """The exception for a BusError."""
    cls = _BY_NAME.get(error)
    return cls(message) if cls else BusRefusal(error, message)
