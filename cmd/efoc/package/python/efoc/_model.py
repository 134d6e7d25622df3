"""Questions to a model."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ._arguments import check
from ._program import Server, flags
from ._results import Answer, Answers, Batch, Changed, Count, Error, JointAnswer, JointAnswers, RequestError, RowsError, Semantics, Status
from ._results import Verdict, Witness, decode

ROWS = 64  # of a request, which stays below the server's limits with the longest template


def open(path: str | os.PathLike[str] | None = None, *, write: bool = False, **options: Any) -> Model:
    """Open a model; without a path, the built-in one.

    With write=True facts can be added, and by no other process meanwhile. Options are flags of efoc serve, such as rows_mb=1024.
    """
    args = flags({"deadline": "1h", "max": "in-flight=65536"} | options)  # there is one client, who can wait
    return Model(args if path is None else [f"--model={os.fsdecode(path)}", *args], write)


class Model:
    """A model and the server that answers for it. Threads may share it; as a context manager it closes itself."""

    def __init__(self, args: list[str], write: bool) -> None:
        self._args, self._write = args, write
        self._server: Server | None = None
        self._starting = threading.Lock()

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
        with self._starting:
            if self._server is None or self._server.process.poll() is not None:
                self._server = Server(self._args, self._write)
            server = self._server
        return server.request(path, body, server.facts_token if change else server.token)

    def ask(
        self, formula: str, *, k: int = 10, offset: int = 0, status: Sequence[Status] = (), type: str = "", show: Sequence[str] = (),
        min_confidence: float = 0, in_range: bool = False, semantics: Semantics | None = None, settings: Mapping[str, float] | None = None,
    ) -> Answers | Any:
        """Return the k best answers to a formula, such as 'borders("Brazil", y) & official_language(y, "Spanish")', as Answers.

        A formula without a free variable, such as 'borders("France", "Spain")', asks yes or no: it gets a Verdict. One with several, as in
        'x, y: borders("France", x) & capital(x, y)', gets JointAnswers. The arguments are those of POST /v1/ask: the kinds of answers
        wanted, the best ones to leave out, variables under exists to show.
        """
        question = _question(Model.ask, locals())
        return _answers(question, self.request("/v1/ask", question))

    def count(self, formula: str, *, type: str = "", semantics: Semantics | None = None, settings: Mapping[str, float] | None = None) -> Count:
        """Return how many answers a formula has: those that are known, and how many others are expected."""
        question = _question(Model.count, locals())
        count: Count = _answers(question, self.request("/v1/ask", {**question, "count": True}))
        return count

    def answer(self, template: str | Path, rows: Iterable[Any], **options: Any) -> Batch:
        """Answer a template for rows of its parameters, which may be a frame of pandas. Options are those of ask.

        The template is a text, such as 'query Q(country entity) y = capital($country, y)', or the path of a file with one query. If rows
        cannot be answered, RowsError has the answers of the others.
        """
        check(Model.answer, {"template": template})
        options = _question(Model.ask, options)
        if "formula" in options:
            raise TypeError("formula: answer takes a template")
        text = template.read_text("utf-8") if isinstance(template, Path) else template
        rows = rows.to_dict("records") if hasattr(rows, "to_dict") else rows
        questions = [{**options, "template": text, "args": _arguments(row)} for row in rows]
        answered, errors = [], {}
        for first in range(0, len(questions), ROWS):
            part = questions[first : first + ROWS]
            for row, result in enumerate(self.request("/v1/batch", {"queries": part})["results"]):
                if "error" in result:
                    errors[first + row] = RequestError(result["error"])
                else:
                    answered.append(_answers(part[row], result["result"]))
        batch = Batch(tuple(answered))
        if errors:
            raise RowsError(errors, batch)
        return batch

    def why(self, question: str | Answers | Verdict, *answers: str | Answer) -> tuple[Witness, ...]:
        """Explain up to ten answers to a formula, or to what was asked before; if none is given, the best three."""
        check(Model.why, {"question": question})
        for answer in answers:
            check(Model.why, {"answers": answer})
        if isinstance(question, str):
            question = self.ask(question, k=3)
        if isinstance(question, Verdict):
            return question.witnesses
        names = [answer if isinstance(answer, str) else answer.name for answer in answers or question[:3]]
        kept = {"formula", "template", "args", "settings", "semantics"} & question.question.keys()
        asked = {"entities": names, **{name: question.question[name] for name in kept}}
        found = self.request("/v1/witness", asked)["witnesses"] if names else ()
        return tuple(decode(Witness, witness) for witness in found)

    def add(self, facts: Iterable[Any], *, new: bool = False) -> Changed:
        """Add facts, all or none, which are on the disk afterwards. With new=True, unknown names are those of new entities."""
        check(Model.add, {"new": new})
        if not self._write:
            raise Error("this model was opened for questions only: open it with write=True to add facts")
        return decode(Changed, self.request("/v1/facts", {"add": triples(facts), "new": new}, change=True))


def _answers(question: Mapping[str, Any], json: Mapping[str, Any]) -> Any:
    if json["kind"] == "verdict":
        return decode(Verdict, {**json["verdict"], "question": question})
    if json["kind"] == "count":
        return decode(Count, {**json["count"], "question": question})
    if json["kind"] == "rows":
        return decode(JointAnswers, {**json, "question": question, "rows": tuple(decode(JointAnswer, row) for row in json["rows"])})
    rows = tuple(decode(Answer, answer) for answer in json["answers"])
    return decode(Answers, {**json, "question": question, "rows": rows})


def _question(method: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a question but those that are None, once they are checked."""
    question = {name: value for name, value in given.items() if name != "self" and value is not None}
    check(method, question)
    return question


def _arguments(row: Any) -> dict[str, str]:
    if not isinstance(row, Mapping):
        raise TypeError(f"rows has {row!r:.100}, want dicts from the parameters of the template to names")
    return {name: _name("rows", value) for name, value in row.items()}


def triples(facts: Iterable[Any]) -> list[list[str]]:
    """Return facts, or the rows of a frame of pandas, as lists of head, relation and tail."""
    list_ = []
    for fact in facts.itertuples(index=False) if hasattr(facts, "itertuples") else facts:
        if isinstance(fact, (str, bytes)) or not isinstance(fact, Iterable) or len(names := list(fact)) != 3:
            raise TypeError(f"facts has {fact!r:.100}, want a head, a relation and a tail")
        list_.append([_name("facts", name) for name in names])
    return list_


def _name(argument: str, name: Any) -> str:
    if name is None or name != name:  # as frames of pandas have it where there is nothing
        raise TypeError(f"{argument} has {name!r}, want a name")
    return str(name)
