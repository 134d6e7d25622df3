"""What questions and changes return, and exceptions: the schemas of openapi.yaml as classes."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args, get_origin, get_type_hints, overload

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped, import-not-found, unused-ignore]

T = TypeVar("T")
Row = TypeVar("Row", covariant=True)
Semantics = Literal["nsmp", "fit", "mixed"]
Status = Literal["known", "predicted", "confirmed", "undecided", "unchecked"]

_hints: Any = functools.cache(get_type_hints)


def decode(kind: type[T], json: Mapping[str, Any]) -> T:
    """Return a dataclass with the fields of a JSON object; what the class has no field for is left out."""
    hints = _hints(kind)
    return kind(**{name: _convert(hints[name], value) for name, value in json.items() if name in hints})


def _convert(hint: Any, value: Any) -> Any:
    if get_origin(hint) is tuple:
        return tuple(_convert(get_args(hint)[0], item) for item in value)
    return decode(hint, value) if isinstance(value, dict) and hasattr(hint, "__dataclass_fields__") else value


@dataclass(frozen=True)
class Entity:
    """An entity of the graph; label is its name where the graph has no other."""

    id: int
    name: str
    label: str


@dataclass(frozen=True)
class Value(Entity):
    """The value of a variable."""

    variable: str


@dataclass(frozen=True)
class Answer(Entity):
    """An answer, ranked by its score.

    Confidence is the probability that it is true, None if the model is not calibrated. No fact has one that is out of range in its place.
    """

    score: float
    status: Status
    confidence: float | None = None
    out_of_range: bool = False
    values: tuple[Value, ...] = ()


@dataclass(frozen=True)
class Table(Sequence[Row]):
    """A sequence of rows, or of tables, that can be seen as a table."""

    rows: tuple[Row, ...]

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Row, ...]: ...
    def __getitem__(self, index: int | slice) -> Row | tuple[Row, ...]:
        return self.rows[index]

    def to_pandas(self) -> pandas.DataFrame:
        """Return the records as a frame; it needs pandas."""
        import pandas

        return pandas.DataFrame.from_records(self.records())

    def records(self) -> list[dict[str, Any]]:
        """Return the rows of all tables in this one."""
        return [record for table in self.rows if isinstance(table, Table) for record in table.records()]


@dataclass(frozen=True)
class Answers(Table[Answer]):
    """The answers to a question, best first.

    The question is the request. Uncalibrated says why there is no confidence, next is the offset of further answers, and incomplete means
    that the search for statuses was too much work.
    """

    question: Mapping[str, Any]
    shape: str
    variable: str
    semantics: Semantics
    seconds: float
    warnings: tuple[str, ...] = ()
    uncalibrated: str = ""
    next: int | None = None
    incomplete: bool = False

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each answer, with a column $NAME for each parameter of a template and ?NAME for each variable to show."""
        args = {"$" + name: value for name, value in self.question.get("args", {}).items()}
        shown = dict.fromkeys("?" + name for name in self.question.get("show", ()))
        fields = [name for name in _hints(Answer) if name != "values"]
        columns = [{name: getattr(answer, name) for name in fields} for answer in self]
        return [args | c | shown | {"?" + v.variable: v.name for v in a.values} for a, c in zip(self.rows, columns)]


@dataclass(frozen=True)
class JointAnswer:
    """A value for each of several answer variables, ranked by the score of all together."""

    values: tuple[Value, ...]
    score: float
    status: Status
    confidence: float | None = None


@dataclass(frozen=True)
class JointAnswers(Table[JointAnswer]):
    """The rows that answer a question with several variables, best first: proved if none is better, incomplete if the search gave up."""

    question: Mapping[str, Any]
    variables: tuple[str, ...]
    semantics: Semantics
    uncalibrated: str = ""
    next: int | None = None
    proved: bool = False
    incomplete: bool = False

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each answer, with a column ?NAME for each variable."""
        fields = ("score", "status", "confidence")
        return [{"?" + v.variable: v.name for v in a.values} | {name: getattr(a, name) for name in fields} for a in self.rows]


@dataclass(frozen=True)
class Count:
    """How many answers a question has: known ones, and how many others are expected; nine of ten validation queries had low to high in all.

    Uncalibrated says why none are expected.
    """

    question: Mapping[str, Any]
    variable: str
    known: int
    missing: float
    low: float
    high: float
    semantics: Semantics
    uncalibrated: str = ""

    @property
    def total(self) -> float:
        """The expected number of answers."""
        return self.known + self.missing


Batch = Table[Answers]  # to a template for rows of parameters


@dataclass(frozen=True)
class Atom:
    """A link that an answer rests on, whether it is in the graph, and its truth degree, from 0 to 1."""

    relation: str
    head: Entity
    tail: Entity
    observed: bool
    degree: float
    negated: bool = False


@dataclass(frozen=True)
class Witness:
    """The values that make an answer most true; the degree is the product of the atoms', 0 without a witness."""

    answer: Entity
    degree: float
    disjunct: int
    values: tuple[Value, ...] = ()
    atoms: tuple[Atom, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """The answer to a question for yes or no, which is true where it holds: where it is known or likelier than not.

    Confidence is the probability that its witnesses are right, None if the model is not calibrated; uncalibrated says why.
    """

    question: Mapping[str, Any]
    holds: bool
    status: Status
    degree: float
    semantics: Semantics
    witnesses: tuple[Witness, ...]
    confidence: float | None = None
    uncalibrated: str = ""

    def __bool__(self) -> bool:
        return self.holds


@dataclass(frozen=True)
class Changed:
    """What a change of facts came to: present ones were there already, absent ones were not; facts are those there are now."""

    added: int
    present: int
    removed: int
    absent: int
    facts: int
    entities: tuple[str, ...] = ()


@dataclass(frozen=True)
class Mistake:
    """A mistake in a question. Line and column count from 1, column and length in code points."""

    message: str
    line: int
    column: int
    length: int
    hint: str = ""
    source_line: str = ""
    suggestions: tuple[str, ...] = ()

    def __str__(self) -> str:
        before = "".join(c if c == "\t" else " " for c in self.source_line[: self.column - 1])
        excerpt = f"\n\t{self.source_line}\n\t{before}^" if self.source_line else ""
        return f"{self.line}:{self.column}: {self.message}{excerpt}" + (f"\n\thint: {self.hint}" if self.hint else "")


class Error(Exception):
    """What efoc refused or could not do. The text is what the command prints."""


class RequestError(Error):
    """A request that the server refused, with one of the codes of openapi.yaml, such as a question with mistakes."""

    def __init__(self, problem: Mapping[str, Any]) -> None:
        self.code: str = problem["code"]
        self.suggestions: tuple[str, ...] = tuple(problem.get("suggestions", ()))
        self.mistakes = tuple(decode(Mistake, mistake) for mistake in problem.get("mistakes", ()))
        super().__init__("\n".join(map(str, self.mistakes)) or problem["message"])


class RowsError(Error):
    """Rows of a batch that could not be answered: errors by the rows' numbers from 0, and the answers to the others."""

    def __init__(self, errors: Mapping[int, RequestError], answered: Batch) -> None:
        self.errors, self.answered = errors, answered
        first, error = next(iter(errors.items()))
        super().__init__(f"{len(errors)} of {len(errors) + len(answered)} rows could not be answered; row {first}: {error}")
