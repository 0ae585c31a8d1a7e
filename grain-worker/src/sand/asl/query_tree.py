"""A look at the tree of a JSONata expression, once, when it is read: what it refers to and what it may not.

There is no input document: at the top level neither `$` nor an unqualified name refers to anything (specification, "JSONata
Restrictions"). Only what stands in a path after its first step, in predicates, groupings, order-by clauses and transforms has
a context; a function's body has that of the place where the function is written.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sand.asl import limits, query_signatures


@dataclass
class Tree:
    """variables: every one that is mentioned, also those that the expression assigns itself; states: for every mention of
    $states, the names that follow; text: of the expression."""

    text: str
    variables: set[str] = field(default_factory=set)
    states: list[tuple[str, ...]] = field(default_factory=list)


def look(node: Any, text: str) -> Tree:
    """Raises ValueError with one sentence."""
    tree = Tree(text)
    _visit(tree, node, True, 0)
    return tree


def _visit(tree: Tree, node: Any, is_top: bool, level: int) -> None:
    if node is None:
        return
    if level > limits.QUERY_TREE_DEPTH:
        raise ValueError(f"the expression is nested more than {limits.QUERY_TREE_DEPTH} levels deep")
    match node.type:
        case "path":
            _path(tree, node.steps or [], is_top, level)
        case "variable":
            _variable(tree, str(node.value), is_top)
        case "number":
            # Beyond 64 bits it is a double, as in Java; the library makes an integer of it.
            node.value = float(node.value) if abs(node.value) >= 2**63 else node.value
        case "string":
            # Escapes of two halves of a character are that character, as in Java.
            node.value = node.value.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
        case "name" | "wildcard" | "descendant":
            _refuse(is_top, f"'{node.value}'")
        case "lambda":
            node.signature = query_signatures.strict(node.signature)
            _visit(tree, node.body, is_top, level + 1)
        case _:
            for child in (node.procedure, node.lhs, node.rhs, node.condition, node.then, node._else, node.expression):
                if hasattr(child, "type"):
                    _visit(tree, child, is_top, level + 1)
            for child in (*(node.arguments or ()), *(node.expressions or ())):
                _visit(tree, child, is_top, level + 1)
            _pairs(tree, node, is_top, level)
            for child in (node.pattern, node.update, node.delete):
                _visit(tree, child, False, level + 1)
    if node.type == "condition":
        _check_operator(tree.text[node.position - 2 : node.position])
    _stages(tree, node, level)


def _check_operator(text: str) -> None:
    """text: up to where the operator of a condition ends. Two came after the version that AWS has, which refuses them."""
    if text in ("??", "?:"):
        raise ValueError(f"the operator {text} is not supported")


def _path(tree: Tree, steps: list[Any], is_top: bool, level: int) -> None:
    if steps and steps[0].type == "variable" and steps[0].value == "states":
        names: list[str] = []
        for step in steps[1:]:
            if step.type != "name":
                break
            names.append(str(step.value))
        tree.states.append(tuple(names))
        _stages(tree, steps[0], level)
    elif steps:
        _visit(tree, steps[0], is_top, level + 1)
    for step in steps[1:]:
        _visit(tree, step, False, level + 1)


def _stages(tree: Tree, node: Any, level: int) -> None:
    """What filters, orders or groups has the filtered as its context."""
    for stage in (*(node.predicate or ()), *(node.stages or ())):
        if hasattr(stage.expr, "type"):
            _visit(tree, stage.expr, False, level + 1)
    for term in node.terms or ():
        _visit(tree, term.expression, False, level + 1)
    if node.group is not None:
        _pairs(tree, node.group, False, level)


def _pairs(tree: Tree, node: Any, is_top: bool, level: int) -> None:
    for pair in node.lhs_object or ():
        for part in pair:
            _visit(tree, part, is_top, level + 1)


def _variable(tree: Tree, name: str, is_top: bool) -> None:
    if name == "":
        _refuse(is_top, "'$'")
    elif name == "$":
        raise ValueError("Reference to '$$' is not supported")
    elif name == "states":
        tree.states.append(())
    else:
        tree.variables.add(name)


def _refuse(is_top: bool, what: str) -> None:
    if is_top:
        message = f"Reference to {what} at the top level is not supported: there is no input document;"
        raise ValueError(f"{message} data is in $states and in variables")
