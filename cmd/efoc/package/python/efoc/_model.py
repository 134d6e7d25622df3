"""Questions to a model."""

from __future__ import annotations

import errno
import json
import math
import os
import tempfile
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from numbers import Number
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, overload
from urllib.parse import quote, urlencode

from ._arguments import check
from ._program import Server, flags, output
from ._results import Answer, Answers, Batch, Changed, Count, Entity, EntityFacts, Error, Found, JointAnswer, JointAnswers, Missing, MissingFact
from ._results import RelationFacts, RequestError, RowsError, Semantics, Status, Verdict, WhyNot, Witness, decode

if TYPE_CHECKING:
    from typing_extensions import Unpack

Kind = Literal["answers", "rows", "verdict", "count"]


class Options(TypedDict, total=False):
    """What ask takes beside the formula and the kind."""

    k: int | None
    offset: int
    status: Status | Sequence[Status]
    type: str
    show: Sequence[str]
    min_confidence: float
    in_range: bool
    coverage: float
    semantics: Semantics | None
    settings: Mapping[str, float] | None
    assume: Sequence[str]
    compare: bool


ROWS = 64  # of a request, which stays below the server's limits with the longest template


def open(path: str | os.PathLike[str] | None = None, *, write: bool = False, **options: Any) -> Model:
    """Open a model; without a path, the built-in one.

    With write=True facts can be added, and by no other process meanwhile. Options are flags of efoc serve, such as rows_mb=1024.
    """
    if path is not None and not os.path.exists(path):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), os.fsdecode(path))
    args = flags({"deadline": "1h", "max": "in-flight=65536"} | options)  # there is one client, who can wait
    return Model(args if path is None else [f"--model={os.fsdecode(path)}", *args], write)


class Model:
    """A model and the server that answers for it. Threads may share it; as a context manager it closes itself."""

    def __init__(self, args: list[str], write: bool) -> None:
        self._args, self._write = args, write
        self.report = ""  # of train and import_, which have made it
        self._server: Server | None = None
        self._starting = threading.Lock()

    def __repr__(self) -> str:
        path = self._path()
        return f"efoc.open({path!r})" if path else "efoc.open()"

    def __enter__(self) -> Model:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the server. The next question starts another."""
        with self._starting:
            if self._server is not None:
                self._server.stop()
            self._server = None

    def request(self, path: str, body: Mapping[str, Any] | None = None, *, change: bool = False) -> Any:
        """Return what the server answers to a POST of a body, or a GET without one: see openapi.yaml. Changes need another token."""
        if not path.startswith("/"):
            raise ValueError(f"path is {path!r}, want one that begins with /")
        with self._starting:
            if self._server is None or self._server.process.poll() is not None:
                self._server = Server(self._args, self._write)
            server = self._server
        return server.request(path, body, server.facts_token if change else server.token)

    def _get(self, path: str, **parameters: Any) -> Any:
        given = {name: value for name, value in parameters.items() if value not in (None, "")}
        return self.request(f"{path}?{urlencode(given)}" if given else path)

    def _command(self, *args: str) -> str:
        """Return what a command of the program prints about this model's file; other flags of the server do not reach it."""
        return output(*args, *[arg for arg in self._args if arg.startswith("--model=")])

    @overload
    def ask(self, formula: str, *, kind: Literal["answers"], **options: Unpack[Options]) -> Answers: ...
    @overload
    def ask(self, formula: str, *, kind: Literal["rows"], **options: Unpack[Options]) -> JointAnswers: ...
    @overload
    def ask(self, formula: str, *, kind: Literal["verdict"], **options: Unpack[Options]) -> Verdict: ...
    @overload
    def ask(self, formula: str, *, kind: Literal["count"], **options: Unpack[Options]) -> Count: ...
    @overload
    def ask(self, formula: str, *, kind: None = None, **options: Unpack[Options]) -> Answers | Any: ...
    def ask(
        self, formula: str, *, kind: Kind | None = None, k: int | None = None, offset: int = 0, status: Status | Sequence[Status] = (), type: str = "",
        show: Sequence[str] = (), min_confidence: float = 0, in_range: bool = False, coverage: float = 0, semantics: Semantics | None = None,
        settings: Mapping[str, float] | None = None, assume: Sequence[str] = (), compare: bool = False,
    ) -> Any:
        """Return the k best answers to a formula, such as 'borders("Brazil", y) & official_language(y, "Spanish")', as Answers.

        A formula without a free variable, such as 'borders("France", "Spain")', asks yes or no: it gets a Verdict. One with several, as in
        'x, y: borders("France", x) & capital(x, y)', gets JointAnswers, and 'count y: borders("France", y)' a Count. The arguments are
        those of POST /v1/ask: the kinds of answers wanted, the best ones to leave out, variables under exists to show, facts to assume. A
        kind says what the formula asks for, which tells type checkers what comes back; another one is an error.
        """
        question = _question(Model.ask, locals())
        question.pop("kind", None)
        reply = self.request("/v1/ask", question)
        if kind not in (None, reply["kind"]):
            raise Error(f"kind is {kind!r}, but the formula asks for {reply['kind']}")
        return _answers(question, reply)

    def answer(self, template: str | Path, rows: Iterable[Any], **options: Any) -> Batch:
        """Answer a template for rows of its parameters, which may be a frame of pandas. Options are those of ask.

        The template is a text, such as 'query Q(country entity) y = capital($country, y)', or the path of a file with one query. Parameters
        take names, numbers, and dates as text or of datetime. A template that asks
        yes or no, such as 'query Fact(h, t entity) = borders($h, $t)', gets a Verdict for each row. If rows cannot be answered, RowsError has
        the answers of the others.
        """
        check(Model.answer, {"template": template})
        options = _question(Model.ask, options)
        if taken := {"formula", "kind"} & options.keys():
            raise TypeError(f"{taken.pop()}: answer takes a template, which says what it asks for")
        text = template.read_text("utf-8") if isinstance(template, Path) else template
        rows = rows.to_dict("records") if hasattr(rows, "to_dict") else rows
        questions = [{**options, "template": text, "args": _arguments(row)} for row in rows]
        answered, errors = [], {}
        for first in range(0, len(questions), ROWS):
            part = questions[first : first + ROWS]
            for row, result in enumerate(self.request("/v1/batch", {"queries": part})["results"]):
                if "error" in result:
                    errors[first + row + 1] = RequestError(result["error"])
                else:
                    answered.append(_answers(part[row], result["result"]))
        batch = Batch(tuple(answered))
        if errors:
            raise RowsError(errors, batch)
        return batch

    def why(self, question: str | Answers | JointAnswers | Verdict, *answers: str | Answer) -> tuple[Witness, ...]:
        """Explain up to ten answers to a formula, or to what was asked before; if none is given, the best three, as of rows."""
        check(Model.why, {"question": question})
        for answer in answers:
            check(Model.why, {"answers": answer})
        if isinstance(question, str):
            question = self.ask(question, k=3)
            check(Model.why, {"question": question})
        if isinstance(question, Verdict):
            return question.witnesses
        if isinstance(question, JointAnswers):
            return tuple(row.witness for row in question[:3] if row.witness)
        names = [answer if isinstance(answer, str) else answer.name for answer in answers or question[:3]]
        found = self.request("/v1/witness", _explained(question.question, names))["witnesses"] if names else ()
        return tuple(decode(Witness, witness) for witness in found)

    def why_not(self, question: str | Answers | JointAnswers, *entities: str | Entity) -> WhyNot:
        """Say why entities, one for each answer variable, are no answer to a formula, or to what was asked before."""
        check(Model.why_not, {"question": question})
        for entity in entities:
            check(Model.why_not, {"entities": entity})
        names = [entity if isinstance(entity, str) else entity.name for entity in entities]
        asked = {"formula": question} if isinstance(question, str) else question.question
        found = self.request("/v1/why-not", _explained(asked, names))
        return decode(WhyNot, {**found, **found["row"]})

    def add(self, facts: Iterable[Any], *, new: bool = False, replace: bool = False, by: str = "") -> Changed:
        """Add facts and values, all or none, which are on the disk afterwards. Unknown names are new with new=True.

        A value is an entity, an attribute, and a number or a date. With replace=True it replaces the entity's other values of the attribute.
        By says who adds them, which explanations show.
        """
        check(Model.add, {"new": new, "replace": replace, "by": by})
        return self._change({"add": triples(facts), "new": new, "replace": replace, "by": by})

    def remove(self, facts: Iterable[Any], *, untrue: bool = False, by: str = "") -> Changed:
        """Remove facts and values, all or none. With untrue=True they are also marked as not true: missing does not offer them again."""
        check(Model.remove, {"untrue": untrue, "by": by})
        return self._change({"untrue" if untrue else "remove": triples(facts), "by": by})

    def _change(self, change: Mapping[str, Any]) -> Changed:
        if not self._write:
            raise Error("this model was opened for questions only: open it with write=True to change facts")
        return decode(Changed, self.request("/v1/facts", change, change=True))

    def missing(
        self, relation: str = "", *, type: str = "", entity: str = "", k: int = 100, min_confidence: float = 0.01, questions: int = 100_000
    ) -> Missing:
        """Return the k facts that the graph most likely lacks: of a relation, about entities of a type, or about one entity.

        More than that many questions are not asked: then only relations plausible for an entity count, of entities spread over the graph.
        Facts may be passed to add and remove as they are.
        """
        check(Model.missing, {name: value for name, value in locals().items() if name != "self"})
        found = self._get(
            "/v1/missing", relation=relation, type=type, entity=entity, k=k, min_confidence=min_confidence, questions=questions
        )
        return decode(Missing, {**found, "rows": tuple(decode(MissingFact, fact) for fact in found["facts"])})

    def explain(self, formula: str) -> str:
        """Return how a formula is answered, as efoc explain prints it."""
        check(Model.explain, {"formula": formula})
        return self._command("explain", formula)

    def find(self, name: str, *, kind: Literal["entity", "relation"] | None = None, k: int = 10) -> tuple[Found, ...]:
        """Return entities and relations with names like this one, which may be misspelt or half typed."""
        check(Model.find, {"name": name, "kind": kind, "k": k})
        return tuple(decode(Found, found) for found in self._get("/v1/search", name=name, kind=kind, k=k)["results"])

    def entity(self, name: str, *, k: int = 10) -> EntityFacts:
        """Return an entity with its values and its facts, at most k of each relation and direction."""
        check(Model.entity, {"name": name, "k": k})
        return decode(EntityFacts, self._get("/v1/entity/" + quote(name, safe="").replace(".", "%2E"), k=k))

    def relations(self) -> tuple[RelationFacts, ...]:
        """Return all relations, those with the most facts first."""
        list_: list[Any] = []
        page: Any = {"next": 0}
        while "next" in page:
            page = self._get("/v1/relations", k=100, offset=page["next"])
            list_ += page["relations"]
        return tuple(decode(RelationFacts, relation) for relation in list_)

    def info(self) -> dict[str, Any]:
        """Return what the model holds, and the server's limits."""
        info: dict[str, Any] = self._get("/v1/model")
        return info

    def export(self, *, untrue: bool = False) -> list[tuple[str, str, str]]:
        """Return all facts, added ones included, as heads, relations and tails, to train again, or those marked as not true."""
        check(Model.export, {"untrue": untrue})
        return [(head, relation, tail) for head, relation, tail in self._exported("untrue" if untrue else "facts")]

    def values(self) -> list[tuple[str, str, float | str]]:
        """Return all values, added ones included, as entities, attributes, and numbers or dates as text."""
        found: list[tuple[str, str, float | str]] = []
        for entity, attribute, literal in self._exported("values"):
            text, _, kind = literal.removeprefix('"').partition('"^^')
            found.append((entity, attribute, float(text) if kind.endswith(("#decimal>", "#double>")) else text))
        return found

    def _path(self) -> str:
        return next((arg.removeprefix("--model=") for arg in self._args if arg.startswith("--model=")), "")

    def _exported(self, only: str) -> Iterable[list[str]]:
        path = self._path()
        if not path:
            raise Error("the built-in model has no file to export from")
        lines = output("export", f"--only={only}", path).split("\n")  # names may have other separators of lines
        return (line.split("\t") for line in lines if line)

    def eval(self, queries: str = "", *, limit: int | None = None) -> dict[str, Any]:
        """Return the report of efoc eval on a file of queries, or without one, by --own, on the facts that the model holds back.

        Its member own says how good the confidence is.
        """
        check(Model.eval, {"queries": queries, "limit": limit})
        with tempfile.TemporaryDirectory() as scratch:
            file = Path(scratch) / "report.json"
            self._command("eval", queries or "--own", *([f"--limit={limit}"] if limit else []), f"--json={file}")
            report: dict[str, Any] = json.loads(file.read_text("utf-8"))
        return report


# The types of replies and of their rows, by kind. A kind that is not here has the JSON of its reply.
_LISTS: dict[str, tuple[type[Any], type[Any]]] = {"answers": (Answers, Answer), "rows": (JointAnswers, JointAnswer)}
_SINGLES: dict[str, type[Any]] = {"verdict": Verdict, "count": Count}


def _answers(question: Mapping[str, Any], reply: Mapping[str, Any]) -> Any:
    kind = reply["kind"]
    if kind in _SINGLES:
        before = {"before": _answers(question, {"kind": kind, **reply["before"]})} if "before" in reply else {}
        return decode(_SINGLES[kind], {**reply[kind], "question": question, **before})
    if kind not in _LISTS:
        return reply
    table, row = _LISTS[kind]
    return decode(table, {**reply, "question": question, "rows": tuple(decode(row, found) for found in reply[kind])})


def _question(method: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a question but those that are None, once they are checked."""
    question = {name: value for name, value in given.items() if name != "self" and value is not None}
    check(method, question)
    if isinstance(question.get("status"), str):
        question["status"] = [question["status"]]
    return question


def _explained(question: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Return a request to explain entities of a question."""
    kept = {"formula", "template", "args", "settings", "semantics", "assume"} & question.keys()
    return {"entities": names, **{name: question[name] for name in kept}}


def _arguments(row: Any) -> dict[str, str]:
    if not isinstance(row, Mapping):
        raise TypeError(f"rows has {row!r:.100}, want dicts from the parameters of the template to their values")
    return {name: _value(f"rows: {name}", value) for name, value in row.items()}


def _value(argument: str, value: Any) -> str:
    """Return a name, a number or a date as text. A datetime is a moment, midnight too; a date is the whole day."""
    if isinstance(value, date) and value == value:  # NaT of pandas is not
        return value.isoformat()
    if not isinstance(value, (str, Number)) or isinstance(value, Number) and not _is_number(value):
        raise TypeError(f"{argument} is {_shown(value)}, want a name, a number or a date")
    return str(value)


def _is_number(value: Any) -> bool:
    """Report whether a number has finite digits, which fractions and complex numbers lack."""
    try:
        return not isinstance(value, bool) and math.isfinite(float(str(value)))
    except ValueError:
        return False


def _shown(value: Any) -> str:
    try:
        return f"{value!r:.100}"
    except ValueError:  # Python writes no longer ones
        return "a number of more than 4300 digits"


def triples(facts: Iterable[Any]) -> list[list[str]]:
    """Return facts and values, or the rows of a frame of pandas, as lists of three texts."""
    list_ = []
    for fact in facts.itertuples(index=False) if hasattr(facts, "itertuples") else facts:
        if isinstance(fact, (str, bytes)) or not isinstance(fact, Iterable) or len(names := list(fact)) != 3:
            raise TypeError(f"facts has {fact!r:.100}, want a head, a relation and a tail")
        list_.append([_name("facts", name) for name in names])
    return list_


def _name(argument: str, name: Any) -> str:
    if name is None or name != name:  # as frames of pandas have it where there is nothing
        raise TypeError(f"{argument} has {name!r}, want a name")
    return _value(argument, name) if isinstance(name, (Number, date)) else str(name)
