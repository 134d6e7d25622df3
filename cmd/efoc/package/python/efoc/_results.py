"""What questions and changes return, and exceptions: the schemas of openapi.yaml as classes."""

from __future__ import annotations

import functools
import html
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints, overload

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped, import-not-found, unused-ignore]

T = TypeVar("T")
Row = TypeVar("Row", covariant=True)
Semantics = Literal["nsmp", "fit", "mixed"]
Attributes = Mapping[str, Sequence[Union[float, str]]]  # all values of an entity, by attribute
Status = Literal["known", "predicted", "confirmed", "undecided", "unchecked"]
SHOWN = 20  # rows of a table that print and notebooks show

_hints: Any = functools.cache(get_type_hints)


def decode(kind: type[T], json: Mapping[str, Any]) -> T:
    """Return a dataclass with the fields of a JSON object; what the class has no field for is left out."""
    hints = _hints(kind)
    return kind(**{name: _convert(hints[name], value) for name, value in json.items() if name in hints})


def _convert(hint: Any, value: Any) -> Any:
    if get_origin(hint) is tuple:
        return tuple(_convert(get_args(hint)[0], item) for item in value)
    hint = next((arg for arg in get_args(hint) if hasattr(arg, "__dataclass_fields__")), hint)  # of Origin | None
    return decode(hint, value) if isinstance(value, dict) and hasattr(hint, "__dataclass_fields__") else value


def _percent(confidence: float | None) -> str:
    return "no confidence" if confidence is None else f"{confidence:.0%}" if confidence >= 0.005 else "< 1%"


@dataclass(frozen=True)
class Entity:
    """An entity of the graph; label is its name where the graph has no other."""

    id: int
    name: str
    label: str

    def __str__(self) -> str:
        return self.label


@dataclass(frozen=True)
class Value(Entity):
    """The value of a variable. In a row, attributes has the numbers and dates by which the question filters the variable."""

    variable: str
    attributes: Attributes = field(default_factory=dict)


@dataclass(frozen=True)
class Answer(Entity):
    """An answer, ranked by its score.

    Confidence is the probability that it is true, None if the model is not calibrated. No fact has one that is out of range in its place.
    Attributes has the numbers and dates by which the question filters its answers.
    """

    score: float
    status: Status
    confidence: float | None = None
    out_of_range: bool = False
    attributes: Attributes = field(default_factory=dict)
    values: tuple[Value, ...] = ()

    def __str__(self) -> str:
        return f"{self.label}: {_percent(self.confidence)}, {self.status}"


@dataclass(frozen=True)
class Standing:
    """The place of an answer among others."""

    rank: int
    score: float
    status: Status
    confidence: float | None = None

    def __str__(self) -> str:
        return f"{self.rank}. {_percent(self.confidence)}, {self.status}"


@dataclass(frozen=True)
class Change:
    """How assumptions change an answer: it came, went, rose or fell."""

    values: tuple[Value, ...]
    change: Literal["came", "went", "rose", "fell"]
    before: Standing | None = None
    after: Standing | None = None

    def __str__(self) -> str:
        return f"{', '.join(map(str, self.values))} {self.change}: {self.before} -> {self.after}"


@dataclass(frozen=True)
class Coverage:
    """How many best answers (size) hold all true ones for a share of questions (level), by a number of validation questions.

    With fewer answers than that the share is smaller.
    """

    level: float
    size: int
    questions: int


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

        records = self.records()
        return pandas.DataFrame.from_records(records, columns=None if records else self._columns())

    def _columns(self) -> list[str]:
        """Return the names of the columns where there are no rows."""
        return []

    def records(self) -> list[dict[str, Any]]:
        """Return the rows of all tables, verdicts and counts in this one."""
        return [record for table in self.rows if isinstance(table, (Table, Verdict, Count)) for record in table.records()]

    def __str__(self) -> str:
        more = [f"… {len(self) - SHOWN} more"] if len(self) > SHOWN else []
        return "\n".join([str(row) for row in self.rows[:SHOWN]] + more)

    def _repr_html_(self) -> str:
        """Return the records as a table of HTML, which notebooks show."""
        records = self.records()
        columns = list(dict.fromkeys(name for record in records for name in record))
        lines = [[record.get(name, "") for name in columns] for record in records[:SHOWN]]
        cells = "".join("<tr>" + "".join(f"<td>{html.escape(_cell(value))}</td>" for value in line) + "</tr>" for line in lines)
        head = "".join(f"<th>{html.escape(name)}</th>" for name in columns)
        more = f"<p>{len(records) - SHOWN} more</p>" if len(records) > SHOWN else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{cells}</tbody></table>{more}"


def _args(question: Mapping[str, Any]) -> dict[str, Any]:
    """Return a column $NAME for each parameter of a template."""
    return {"$" + name: value for name, value in question.get("args", {}).items()}


def _cells(attributes: Attributes, prefix: str = "") -> dict[str, Any]:
    """Return a column for each attribute: its value, None if there is none, or the list of several."""
    return {prefix + name: found[0] if len(found) == 1 else found or None for name, found in attributes.items()}


def _cell(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


_ANSWER_FIELDS = tuple(f.name for f in fields(Answer) if f.name not in ("attributes", "values"))


@dataclass(frozen=True)
class Answers(Table[Answer]):
    """The answers to a question, best first.

    The question is the request. With compare=True, changes are what assumptions change. Uncalibrated says why there is no confidence, next is the offset of further answers, and incomplete means
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
    changes: tuple[Change, ...] = ()
    coverage: Coverage | None = None

    def _columns(self) -> list[str]:
        return [*_args(self.question), *_ANSWER_FIELDS, *("?" + name for name in self.question.get("show", ()))]

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each answer, with a column $NAME for each parameter, ?NAME for each variable to show, and one for each attribute.

        An attribute with the name of a field, such as score, has the column ?VARIABLE_score.
        """
        shown = dict.fromkeys("?" + name for name in self.question.get("show", ()))
        columns = [{name: getattr(answer, name) for name in _ANSWER_FIELDS} for answer in self]
        for column, answer in zip(columns, self):
            column |= {f"?{self.variable}_{name}" if name in _ANSWER_FIELDS else name: value for name, value in _cells(answer.attributes).items()}
        return [_args(self.question) | c | shown | {"?" + v.variable: v.name for v in a.values} for a, c in zip(self.rows, columns)]


@dataclass(frozen=True)
class JointAnswer:
    """A value for each of several answer variables, ranked by the score of all together, with the best witness if there is one."""

    values: tuple[Value, ...]
    score: float
    status: Status
    confidence: float | None = None
    witness: Witness | None = None

    def __str__(self) -> str:
        return f"{', '.join(f'{v.variable} = {v.label}' for v in self.values)}: {_percent(self.confidence)}, {self.status}"


_JOINT_FIELDS = ("score", "status", "confidence")


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
    changes: tuple[Change, ...] = ()

    def _columns(self) -> list[str]:
        return [*_args(self.question), *("?" + name for name in self.variables), *_JOINT_FIELDS]

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each answer, with columns $NAME for parameters, ?NAME for variables, and ?NAME_ATTRIBUTE for their attributes."""
        rows = [_args(self.question) | {"?" + v.variable: v.name for v in a.values} | {name: getattr(a, name) for name in _JOINT_FIELDS} for a in self.rows]
        for row, answer in zip(rows, self.rows):
            for v in answer.values:
                row |= _cells(v.attributes, f"?{v.variable}_")
        return rows


@dataclass(frozen=True)
class Count:
    """How many answers a question has: known ones, and how many others are expected; nine of ten validation queries had low to high in all.

    Uncalibrated says why none are expected; before is the number without the assumptions, with compare=True.
    """

    question: Mapping[str, Any]
    variable: str
    known: int
    missing: float
    low: float
    high: float
    semantics: Semantics
    uncalibrated: str = ""
    before: Count | None = None

    @property
    def total(self) -> float:
        """The expected number of answers."""
        return self.known + self.missing

    def records(self) -> list[dict[str, Any]]:
        """Return one row, with a column $NAME for each parameter of a template."""
        return [_args(self.question) | {name: getattr(self, name) for name in ("known", "missing", "low", "high")}]

    def __str__(self) -> str:
        return f"{self.known} known, {self.missing:.1f} expected beside them; {self.low:.1f} to {self.high:.1f} in all"


Batch = Table[Any]  # the answers, or verdicts, to a template for rows of parameters


@dataclass(frozen=True)
class Origin:
    """When a fact or a value was added, and by whom if that was stated."""

    time: str
    by: str = ""

    def __str__(self) -> str:
        return f"added {self.time[:10]}" + (f" by {self.by}" if self.by else "")


@dataclass(frozen=True)
class Atom:
    """A link that an answer rests on, whether it is in the graph, and its truth degree, from 0 to 1.

    Confidence is the chance that a predicted link is a fact, or if the atom is negated that it is none; added says who added an observed one
    and when, if the journal knows. An assumed link is observed, or a negated one is not, because of an assumption.
    """

    relation: str
    head: Entity
    tail: Entity
    observed: bool
    degree: float
    negated: bool = False
    confidence: float | None = None
    assumed: bool = False
    added: Origin | None = None
    fails: Literal["predicted", "refuted", "negated"] | None = None

    def __str__(self) -> str:
        how = f"fails, {self.fails}" if self.fails else "assumed" if self.assumed else "stored" if self.observed else "absent" if self.negated else "predicted"
        more = f", {self.added}" if self.added is not None else f", {_percent(self.confidence)}" if self.confidence is not None else ""
        return f"{'!' if self.negated else ''}{self.relation}({self.head}, {self.tail}): {how}{more}"


@dataclass(frozen=True)
class FilterValue:
    """An entity's value that a filter asks for, None if none is known; added says who added it and when, if the journal knows.

    The degree is 1 if the value meets the filter, and 0 if not.
    """

    attribute: str
    asked: str
    entity: Entity
    degree: float
    value: str | None = None
    assumed: bool = False
    added: Origin | None = None

    def __str__(self) -> str:
        if self.value is None:
            return f"{self.attribute}({self.entity}): unknown, asked {self.asked}"
        how = f"{'assumed' if self.assumed else 'stored'}, asked {self.asked}" + (f", {self.added}" if self.added is not None else "")
        return f"{self.attribute}({self.entity}) = {self.value}: {how}"


@dataclass(frozen=True)
class Witness:
    """The values that make an answer most true; the degree is the product of the atoms', 0 without a witness."""

    answer: Entity
    degree: float
    disjunct: int
    values: tuple[Value, ...] = ()
    atoms: tuple[Atom, ...] = ()
    filters: tuple[FilterValue, ...] = ()

    def __str__(self) -> str:
        return "\n    ".join([str(self.answer), *map(str, self.atoms), *map(str, self.filters)])


@dataclass(frozen=True)
class WhyNot:
    """The values that come closest to making entities an answer; fails of an atom and the degree of a filter say what is missing.

    Status, confidence, and rank among all entities are those of the entities as an answer: if they are one, nothing fails. Others are the
    degrees of the other disjuncts. If proved is False, the search was bounded.
    """

    values: tuple[Value, ...]
    status: Status
    nearest: Witness
    proved: bool
    confidence: float | None = None
    rank: int | None = None
    others: tuple[float, ...] = ()

    def __str__(self) -> str:
        asked = ", ".join(map(str, self.values))
        return "\n    ".join([f"{asked}: {_percent(self.confidence)}, {self.status}", *map(str, self.nearest.atoms), *map(str, self.nearest.filters)])


@dataclass(frozen=True)
class Verdict:
    """The answer to a question for yes or no, which is true where it holds: where it is known or likelier than not.

    Confidence is the probability that its witnesses are right, None if the model is not calibrated; uncalibrated says why. Before is the
    verdict without the assumptions, with compare=True.
    """

    question: Mapping[str, Any]
    holds: bool
    status: Status
    degree: float
    semantics: Semantics
    witnesses: tuple[Witness, ...]
    confidence: float | None = None
    uncalibrated: str = ""
    before: Verdict | None = None

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        return f"{'yes' if self.holds else 'no'}: {_percent(self.confidence)}, {self.status}"

    def records(self) -> list[dict[str, Any]]:
        """Return one row, with a column $NAME for each parameter of a template."""
        return [_args(self.question) | {name: getattr(self, name) for name in ("holds", "confidence", "status", "degree")}]


@dataclass(frozen=True)
class MissingFact:
    """A fact that the graph may lack, with stored facts to judge it by."""

    head: Entity
    relation: str
    tail: Entity
    confidence: float
    status: Status
    witness: tuple[Atom, ...] = ()

    def __iter__(self) -> Iterator[str]:
        """Yield the names of head, relation and tail, as add and remove take them."""
        return iter((self.head.name, self.relation, self.tail.name))

    def __str__(self) -> str:
        return f"{self.head} {self.relation} {self.tail}: {_percent(self.confidence)}, {self.status}"


@dataclass(frozen=True)
class Missing(Table[MissingFact]):
    """The facts that a graph most likely lacks: exactly these if as many questions were asked as were possible. Stopped: time was over."""

    heads: int
    questions: int
    possible: int
    stopped: bool = False

    def _columns(self) -> list[str]:
        return ["head", "relation", "tail", "confidence", "status"]

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each fact."""
        return [{**dict(zip(("head", "relation", "tail"), f)), "confidence": f.confidence, "status": f.status} for f in self.rows]


@dataclass(frozen=True)
class Found:
    """An entity or a relation with the number of its facts; text is what a question calls it."""

    kind: Literal["entity", "relation"]
    id: int
    name: str
    label: str
    text: str
    facts: int

    def __str__(self) -> str:
        return f"{self.kind} {self.name}: {self.facts} facts"


@dataclass(frozen=True)
class Links:
    """The facts of an entity by a relation, and the first entities at the other end; ^-1 where the entity is the tail."""

    relation: str
    count: int
    entities: tuple[Entity, ...]

    def __str__(self) -> str:
        more = f" and {self.count - len(self.entities)} more" if self.count > len(self.entities) else ""
        return f"{self.relation}: {', '.join(map(str, self.entities))}{more}"


@dataclass(frozen=True)
class StoredValue:
    """A number or a date that an entity has of an attribute, as text."""

    attribute: str
    kind: Literal["number", "date"]
    value: str

    def __str__(self) -> str:
        return f"{self.attribute} = {self.value}"


@dataclass(frozen=True)
class EntityFacts(Found):
    """An entity with its facts and values."""

    links: tuple[Links, ...] = ()
    values: tuple[StoredValue, ...] = ()

    def __str__(self) -> str:
        return "\n    ".join([super().__str__(), *map(str, self.values), *map(str, self.links)])


@dataclass(frozen=True)
class Fact:
    """A stored fact of a relation."""

    head: Entity
    tail: Entity


@dataclass(frozen=True)
class RelationFacts(Found):
    """A relation with the numbers of its heads and tails, and examples."""

    heads: int = 0
    tails: int = 0
    examples: tuple[Fact, ...] = ()

    def __str__(self) -> str:
        example = f", such as {self.examples[0].head} → {self.examples[0].tail}" if self.examples else ""
        return f"relation {self.name}: {self.facts} facts{example}"


@dataclass(frozen=True)
class Changed:
    """What a change of facts came to: present ones were there already, absent ones were not; facts and values are those there are now.

    A value counts as a fact of the change. Marked counts facts that are marked as not true, and were not before, unmarked those
    that were marked and no longer are.
    """

    added: int
    present: int
    removed: int
    absent: int
    facts: int
    entities: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    marked: int = 0
    unmarked: int = 0
    values: int = 0


@dataclass(frozen=True)
class Mistake:
    """A mistake in a question, or in the source, such as assume[1]. Line and column count from 1, column and length in code points."""

    message: str
    line: int
    column: int
    length: int
    hint: str = ""
    source: str = ""
    source_line: str = ""
    suggestions: tuple[str, ...] = ()

    def __str__(self) -> str:
        before = "".join(c if c == "\t" else " " for c in self.source_line[: self.column - 1])
        excerpt = f"\n\t{self.source_line}\n\t{before}^" if self.source_line else ""
        place = f"{self.source}:{self.line}" if self.source else str(self.line)
        return f"{place}:{self.column}: {self.message}{excerpt}" + (f"\n\thint: {self.hint}" if self.hint else "")


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
    """Rows of a batch that could not be answered: errors by the rows' numbers from 1, and the answers to the others."""

    def __init__(self, errors: Mapping[int, RequestError], answered: Batch) -> None:
        self.errors, self.answered = errors, answered
        rows: dict[str, list[int]] = {}
        for row, error in errors.items():
            rows.setdefault(str(error), []).append(row)
        lines = [f"row {of[0]}{f' and {len(of) - 1} others' if len(of) > 1 else ''}: {text}" for text, of in rows.items()]
        more = [f"… {len(lines) - SHOWN} other errors"] if len(lines) > SHOWN else []
        super().__init__("\n".join([f"{len(errors)} of {len(errors) + len(answered)} rows could not be answered", *lines[:SHOWN], *more]))
