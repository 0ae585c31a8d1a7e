"""What the JSONata expressions of a state may do together: counted in steps and not in time, so that a replay ends the same."""

from sand.asl import limits
from sand.asl.failure import QUERY_EVALUATION_ERROR, StateError


class Budget:
    """A step: the evaluation of one node of an expression, 16 elements that are copied, 16 characters that a regular
    expression may look at."""

    def __init__(self) -> None:
        self._left = limits.QUERY_STEPS

    def renew(self) -> None:
        """The expressions of another state follow."""
        self._left = limits.QUERY_STEPS

    @property
    def left(self) -> int:
        return self._left

    def spend(self, steps: int) -> None:
        """Raises StateError when nothing is left."""
        self._left -= steps
        if self._left < 0:
            raise StateError(QUERY_EVALUATION_ERROR, "Expression evaluation timeout: Check for infinite loop")
