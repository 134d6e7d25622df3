"""Checks arguments against the annotations of the method that takes them, so that a mistake is reported by the argument's name."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

_hints: Any = functools.cache(get_type_hints)


def check(method: Callable[..., Any], given: Mapping[str, Any]) -> None:
    """Raise TypeError for an argument that the method lacks or that has another type, ValueError for one that is none of its literals."""
    hints = {name: hint for name, hint in _hints(method).items() if name != "return"}
    for name, value in given.items():
        if name not in hints:
            raise TypeError(f"{name}: there is no such argument; there is {', '.join(hints)}")
        if not _fits(value, hints[name]):
            wrong = ValueError if _fits(value, hints[name], str) else TypeError
            raise wrong(f"{name} is {value!r:.100}, want {_describe(hints[name])}")


def _fits(value: Any, hint: Any, literal: type | None = None) -> bool:
    """Report whether a value is of a type; literal stands for the literals in it, None for themselves."""
    origin, args = get_origin(hint), get_args(hint)
    if origin is Literal:
        return isinstance(value, literal) if literal else value in args
    if origin in (Union, types.UnionType):
        return any(_fits(value, arg, literal) for arg in args)
    if origin is Sequence:
        return isinstance(value, Sequence) and not isinstance(value, (str, bytes)) and all(_fits(item, args[0], literal) for item in value)
    if origin is Mapping:
        return isinstance(value, Mapping) and all(_fits(k, args[0], literal) and _fits(v, args[1], literal) for k, v in value.items())
    if hint in (int, float):  # True is an int of Python's
        return isinstance(value, (int, hint)) and not isinstance(value, bool)
    return isinstance(value, hint)


def _describe(hint: Any) -> str:
    origin, args = get_origin(hint), get_args(hint)
    if origin is Literal:
        return "one of " + ", ".join(map(repr, args))
    if origin in (Union, types.UnionType):
        return " or ".join(_describe(arg) for arg in args)
    if origin is Sequence:
        return f"a list, each item {_describe(args[0])}"
    if origin is Mapping:
        return f"a dict from {_describe(args[0])} to {_describe(args[1])}"
    return "None" if hint is type(None) else hint.__name__
