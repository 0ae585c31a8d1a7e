"""What is told of an expression that is no JSONata: the messages of the reference implementation (jsonata.org, errors), with
literals as they are written."""

import pytest

from sand.asl import validate


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("'a\\qb'", 'S0103: Unsupported escape sequence: \\"q".'),
        ('"a\\qb"', 'S0103: Unsupported escape sequence: \\"q".'),
        ("$match('a', //)", "S0301: Empty regular expressions are not allowed."),
        ("not true", 'S0201: Syntax error: "true".'),
        ("true.false", 'S0213: The literal value "true" cannot be used as a step within a path expression.'),
        ("{true: 1 false}", 'S0202: Expected "}", got "false".'),
    ],
)
def test_an_expression_that_is_none(expression: str, message: str) -> None:
    state = {"Type": "Pass", "Output": f"{{% {expression} %}}", "End": True}
    (found,) = validate({"QueryLanguage": "JSONata", "StartAt": "S", "States": {"S": state}})
    assert found.message == f"'{expression}' is not valid JSONata: {message}"


def test_an_expression_with_a_pattern_that_is_none() -> None:
    expression = "$match('a', /[z-a]/)"
    state = {"Type": "Pass", "Output": f"{{% {expression} %}}", "End": True}
    (found,) = validate({"QueryLanguage": "JSONata", "StartAt": "S", "States": {"S": state}})
    assert found.message == f"The JSONata expression '{expression}': Illegal character range near index 3\n[z-a]\n   ^."
