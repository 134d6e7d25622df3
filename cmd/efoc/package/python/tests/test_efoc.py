"""Tests of the package against the program on the path, or that of an installed wheel."""

from __future__ import annotations

import contextlib
import gc
import gzip
import http.client
import importlib.util
import io
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import types
import unittest
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest import mock

import efoc
from efoc._program import program

ROOT = Path(__file__).resolve().parents[5]
NEIGHBOURS = "query Neighbours(country entity) y = borders($country, y)"
FACTS = [
    ("ada", "works_at", "acme"),
    ("bob", "works_at", "acme"),
    ('a "quoted", name', "works_at", "globex"),
    ("acme", "based_in", "lisbon"),
]
BRIEF: dict[str, Any] = {"rank": 8, "epochs": 2, "trainer": "valid=0"}


def refused(address: str) -> bool:
    """Wait until nothing listens at an address any more."""
    for _ in range(300):
        connection = http.client.HTTPConnection(address)
        try:
            connection.connect()
        except ConnectionRefusedError:
            return True
        finally:
            connection.close()
        time.sleep(0.1)
    return False


def address(model: efoc.Model) -> str:
    assert model._server is not None
    return str(model._server.address)


class WithModel(unittest.TestCase):
    model: efoc.Model

    @classmethod
    def setUpClass(cls) -> None:
        cls.model = efoc.open()
        cls.addClassCleanup(cls.model.close)

    @contextlib.contextmanager
    def folder(self) -> Iterator[Path]:
        with tempfile.TemporaryDirectory() as name, contextlib.redirect_stderr(io.StringIO()):
            yield Path(name)


class Ask(WithModel):
    def test_known(self) -> None:
        """The known answers are the facts of the graph."""
        with (ROOT / "cmd/efoc/world/train.tsv").open(encoding="utf-8") as file:
            facts = [tuple(line.rstrip("\n").split("\t")) for line in file]
        answers = self.model.ask('borders("Brazil", y)', k=100, status=["known"])
        self.assertEqual(
            {answer.name for answer in answers}, {tail for head, relation, tail in facts if (head, relation) == ("Brazil", "borders")}
        )
        self.assertEqual({(answer.status, answer.confidence) for answer in answers}, {("known", 1)})
        scores = [answer.score for answer in answers]
        self.assertEqual(scores, sorted(scores, reverse=True))

    def test_sentence(self) -> None:
        """A sentence is true where it follows from facts, and has them as witnesses."""
        verdict = self.model.ask('exists x. borders("France", x) & borders(x, "Portugal")')
        self.assertTrue(verdict)
        assert isinstance(verdict, efoc.Verdict)
        self.assertEqual((verdict.status, verdict.confidence, verdict.witnesses[0].values[0].name), ("known", 1, "Spain"))
        self.assertEqual([atom.observed for atom in self.model.why(verdict)[0].atoms], [True, True])
        self.assertFalse(self.model.ask('borders("France", "Iceland")'))
        linked = self.model.answer("query Linked(a, b entity) = borders($a, $b)", [{"a": "France", "b": "Spain"}, {"a": "France", "b": "Iceland"}])
        self.assertEqual([bool(verdict) for verdict in linked], [True, False])
        self.assertEqual([(r["$b"], r["holds"], r["status"]) for r in linked.records()], [("Spain", True, "known"), ("Iceland", False, "predicted")])

    def test_kinds(self) -> None:
        """A kind says what comes back; another one is an error."""
        self.assertEqual(self.model.ask('capital("France", y)', kind="answers", status="known")[0].name, "Paris")
        self.assertTrue(self.model.ask('capital("France", "Paris")', kind="verdict").holds)
        self.assertEqual(self.model.ask('count y: capital("France", y)', kind="count").known, 1)
        self.assertEqual(self.model.ask('x, y: capital(x, y)', kind="rows", k=2).variables, ("x", "y"))
        with self.assertRaisesRegex(efoc.Error, "kind is 'verdict', but the formula asks for answers"):
            self.model.ask('capital("France", y)', kind="verdict")

    def test_prints(self) -> None:
        """What comes back reads well, as text and in a notebook."""
        answers = self.model.ask('borders("Brazil", y) & official_language(y, "Spanish")', k=30)
        lines = str(answers).split("\n")
        self.assertEqual((lines[0], len(lines), lines[-1]), ("Venezuela: 100%, known", 21, "… 10 more"))
        html = answers._repr_html_()
        self.assertEqual((html.count("<tr>"), "<th>confidence</th>" in html, "<td>Venezuela</td>" in html), (21, True, True))
        (witness,) = self.model.why('exists x. borders("Portugal", x) & official_language(x, y)', "Spanish")
        self.assertEqual(str(witness), "Spanish\n    borders(Portugal, Spain): stored\n    official_language(Spain, Spanish): stored")
        self.assertEqual(str(self.model.ask('capital("France", "Paris")')), "yes: 100%, known")
        self.assertRegex(str(self.model.ask('count y: capital("France", y)')), "^1 known, [0-9.]+ expected beside them; ")

    def test_look_around(self) -> None:
        self.assertEqual([(f.kind, f.name) for f in self.model.find("Frence", k=1)], [("entity", "France")])
        self.assertEqual(str(self.model.find("capital", kind="relation")[0]).split(":")[0], "relation capital")
        spain = {links.relation: [e.name for e in links.entities] for links in self.model.entity("Spain").links}
        self.assertIn("Portugal", spain["borders"])
        relations = self.model.relations()
        info = self.model.info()
        self.assertEqual((len(relations), sum(r.facts for r in relations)), (info["relations"], info["facts"]))
        self.assertIn("2p", self.model.explain('exists x. borders("France", x) & borders(x, y)'))
        with self.assertRaisesRegex(efoc.Error, "Frence.*did you mean"):
            self.model.entity("Frence")

    def test_missing(self) -> None:
        """The likeliest missing facts are the answers that ask predicts."""
        about = self.model.missing(entity="Portugal", k=4)
        self.assertEqual((len(about), about.heads), (4, 1))
        self.assertTrue(all("Portugal" in tuple(fact) for fact in about))
        found = self.model.missing("borders", type="in_continent=Europe", k=3)
        self.assertEqual((len(found), found.questions, found.stopped), (3, found.possible, False))
        fact = found[0]
        answers = self.model.ask(f'borders("{fact.head.name}", y)', k=50, status=["predicted", "confirmed"])
        same = next(answer for answer in answers if answer.name == fact.tail.name)
        assert same.confidence is not None
        self.assertAlmostEqual(same.confidence, fact.confidence, places=5)
        self.assertEqual([record["head"] for record in found.records()], [head for head, _, _ in found])
        self.assertTrue(all(atom.observed for atom in fact.witness))

    def test_several(self) -> None:
        """A row has a value of each variable, and follows from facts where it is known."""
        rows = self.model.ask('x, y: borders("France", x) & capital(x, y)', k=3)
        assert isinstance(rows, efoc.JointAnswers)
        self.assertEqual((rows.variables, len(rows)), (("x", "y"), 3))
        best = rows.records()[0]
        capital = self.model.ask(f'capital("{best["?x"]}", y)', k=1)
        self.assertEqual((best["status"], best["?y"]), ("known", capital[0].name))
        self.assertEqual(self.model.why(rows), tuple(row.witness for row in rows))
        self.assertEqual([[a.observed for a in w.atoms] for w in self.model.why(rows.question["formula"])], [[True, True]] * 3)
        batch = self.model.answer("query Q(c entity) x, y = borders($c, x) & capital(x, y)", [{"c": "France"}, {"c": "Peru"}], k=2)
        self.assertEqual([record["$c"] for record in batch.records()], ["France", "France", "Peru", "Peru"])

    def test_count(self) -> None:
        """A count has as many known answers as there are facts."""
        known = self.model.ask('borders("Brazil", y)', k=100, status=["known"])
        count = self.model.ask('count y: borders("Brazil", y)', kind="count")
        self.assertEqual((count.known, count.variable), (len(known), "y"))
        self.assertTrue(count.known <= count.low <= count.total <= count.high)
        batch = self.model.answer("query Q(c entity) count y = borders($c, y)", [{"c": "Brazil"}, {"c": "Iceland"}])
        self.assertEqual([(record["$c"], record["known"]) for record in batch.records()], [("Brazil", len(known)), ("Iceland", 0)])
        with self.assertRaisesRegex(TypeError, "question is Count"):
            self.model.why('count y: borders("Brazil", y)')
        self.assertEqual(self.model.ask('count y: in_continent("Europe") & borders("Brazil", y)', kind="count").known, 1)  # France

    def test_options(self) -> None:
        formula = 'exists x. borders("France", x) & official_language(x, y)'
        all_ = self.model.ask(formula, k=8, semantics="nsmp", settings={"layers": 2}, show=["x"])
        self.assertEqual((all_.semantics, all_.variable, all_.next, len(all_)), ("nsmp", "y", 8, 8))
        self.assertEqual(all_[5:], self.model.ask(formula, k=3, offset=5, semantics="nsmp", settings={"layers": 2}, show=["x"])[:])
        self.assertEqual([value.variable for value in all_[0].values], ["x"])
        europe = self.model.ask('borders("Russia", y)', k=50, type="in_continent=Europe", min_confidence=0.5, in_range=True)
        self.assertIn("Finland", [answer.name for answer in europe])
        self.assertNotIn("China", [answer.name for answer in europe])
        covering = self.model.ask('borders("Russia", y)', coverage=0.9)
        assert covering.coverage is not None
        self.assertEqual((covering.coverage.level, covering.coverage.size), (0.9, len(covering)))
        self.assertGreater(covering.coverage.questions, 100)

    def test_table(self) -> None:
        batch = self.model.answer(
            "query Q(c entity) y = exists x. borders($c, x) & capital(x, y)", [{"c": "France"}, {"c": "Peru"}], k=2, show=["x"]
        )
        records = batch.records()
        self.assertEqual([record["$c"] for record in records], ["France", "France", "Peru", "Peru"])
        self.assertEqual([record["name"] for record in records], [answer.name for answers in batch for answer in answers])
        capital = self.model.ask(f'capital("{records[0]["?x"]}", y)', k=1)
        self.assertEqual(records[0]["name"], capital[0].name)

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "needs pandas")
    def test_pandas(self) -> None:
        import pandas  # type: ignore[import-untyped, import-not-found, unused-ignore]

        rows = pandas.DataFrame({"country": ["France", "Peru"]})
        frame = self.model.answer(NEIGHBOURS, rows, k=3).to_pandas()
        self.assertEqual(list(frame["$country"]), ["France"] * 3 + ["Peru"] * 3)
        self.assertEqual(frame["score"].dtype.kind, "f")
        with self.folder() as folder:
            model = efoc.train(pandas.DataFrame(FACTS), folder / "m.efoc", **BRIEF)
            for formula in ['based_in("acme", y)', "x, y: works_at(x, y) & based_in(y, x)"]:
                self.assertEqual(model.ask(formula, offset=1000).to_pandas().columns.tolist(), model.ask(formula, k=1).to_pandas().columns.tolist())
            self.assertEqual(model.ask('based_in("acme", y)', k=1)[0].name, "lisbon")

    def test_rows(self) -> None:
        """A batch of more rows than a request holds is answered as one by one."""
        countries = [answer.name for answer in self.model.ask('in_continent(y, "Africa")', k=40)] * 2
        batch = self.model.answer(NEIGHBOURS, ({"country": name} for name in countries), k=3)
        self.assertEqual([answers.question["args"]["country"] for answers in batch], countries)
        for name, answers in list(zip(countries, batch))[::7]:
            self.assertEqual([a.name for a in answers], [a.name for a in self.model.ask(f'borders("{name}", y)', k=3)])

    def test_rows_refused(self) -> None:
        with self.assertRaises(efoc.RowsError) as caught:
            self.model.answer(NEIGHBOURS, [{"country": "France"}, {"country": "Frence"}, {"country": "Peru"}], k=1)
        self.assertEqual(list(caught.exception.errors), [2])
        self.assertEqual(caught.exception.errors[2].code, "unknown_name")
        self.assertIn("France", caught.exception.errors[2].suggestions)
        self.assertEqual([answers.question["args"]["country"] for answers in caught.exception.answered], ["France", "Peru"])
        self.assertRegex(str(caught.exception), '^1 of 3 rows could not be answered\nrow 2: .*did you mean "France"')
        with self.assertRaises(efoc.RowsError) as caught:
            self.model.answer(NEIGHBOURS, [{"country": name} for name in ("Frence", "Peruu", "Frence", "Frence")], k=1)
        lines = str(caught.exception).split("\n")
        self.assertEqual((len(lines), lines[0]), (3, "4 of 4 rows could not be answered"))
        self.assertIn("row 1 and 2 others: ", lines[1])

    def test_template_file(self) -> None:
        with self.folder() as folder:
            (folder / "a.efo").write_text("package a\n\n" + NEIGHBOURS + "\n", "utf-8")
            batch = self.model.answer(folder / "a.efo", [{"country": "Portugal"}], k=1)
        self.assertEqual(batch[0][0].name, "Spain")

    def test_why(self) -> None:
        formula = 'exists x. borders("Portugal", x) & official_language(x, y)'
        (witness,) = self.model.why(formula, "Spanish")
        self.assertEqual([(value.variable, value.name) for value in witness.values], [("x", "Spain")])
        self.assertEqual(
            [(a.relation, a.head.name, a.tail.name, a.observed) for a in witness.atoms],
            [("borders", "Portugal", "Spain", True), ("official_language", "Spain", "Spanish", True)],
        )
        answers = self.model.answer("query Q(c entity) y = exists x. borders($c, x) & official_language(x, y)", [{"c": "Portugal"}])[0]
        self.assertEqual(self.model.why(answers, answers[0])[0].answer.name, answers[0].name)
        self.assertEqual([w.answer.name for w in self.model.why(answers)], [a.name for a in answers[:3]])

    def test_why_not(self) -> None:
        formula = 'exists x. borders("France", x) & borders(x, y) & !in_continent(y, "Europe")'
        asked = self.model.why_not(formula, "Portugal")
        self.assertEqual([(value.variable, value.name) for value in asked.nearest.values], [("x", "Spain")])
        self.assertEqual([(a.observed, a.fails) for a in asked.nearest.atoms], [(True, None), (True, "negated"), (True, None)])
        self.assertEqual((asked.status, asked.proved), ("predicted", True))
        self.assertIn("!in_continent(Portugal, Europe): fails, negated", str(asked))
        rows = self.model.ask('x, y: borders("France", x) & capital(x, y)', k=1)
        pair = self.model.why_not(rows, "Portugal", "Lisbon")
        self.assertEqual([a.fails for a in pair.nearest.atoms], ["predicted", None])
        self.assertEqual([value.name for value in pair.values], ["Portugal", "Lisbon"])

    def test_assume(self) -> None:
        assume = ['borders("Iceland", "Atlantis") & official_language("Atlantis", "Spanish")', '!borders("France", "Spain")']
        formula = 'borders("Iceland", y) & official_language(y, "Spanish")'
        answers = self.model.ask(formula, status="known", assume=assume)
        self.assertEqual([answer.name for answer in answers], ["Atlantis"])
        self.assertIn("Atlantis", answers.warnings[0])
        witness = self.model.why(answers)[0]
        self.assertEqual([atom.assumed for atom in witness.atoms], [True, True])
        self.assertIn("assumed", str(witness))
        self.assertEqual([], list(self.model.ask(formula, status="known")))
        changes = {c.values[0].name: c for c in self.model.ask('borders("France", y)', assume=assume[1:], compare=True).changes}
        self.assertEqual((changes["Spain"].change, changes["Spain"].before and changes["Spain"].before.status), ("fell", "known"))
        count = self.model.ask('count y: borders("France", y)', kind="count", assume=assume[1:], compare=True)
        self.assertEqual((count.known, count.before and count.before.known), (8, 9))
        verdict = self.model.ask('borders("France", "Spain")', assume=assume[1:], compare=True, kind="verdict")
        self.assertEqual((verdict.status == "known", verdict.before and verdict.before.status), (False, "known"))

    def test_errors(self) -> None:
        """The text of an error is what the command prints, but for its advice to name a model."""
        for formula in (
            'borders("Frence", x)',
            'borders("France", x) &\n\tcapitl(x, "Päris") & bordrs(x, y)',
            'borders("France", x',
            "x != y",
            'é("ünknown", x)',
        ):
            with self.subTest(formula), self.assertRaises(efoc.RequestError) as caught:
                self.model.ask(formula)
            printed = subprocess.run([program(), "ask", formula], capture_output=True, encoding="utf-8").stderr
            self.assertEqual(str(caught.exception), printed.split("\nefoc: ")[0].rstrip("\n"))
            self.assertTrue(caught.exception.mistakes)
        with self.assertRaisesRegex(efoc.RequestError, "k is -1"):
            self.model.ask('borders("France", y)', k=-1)

    def test_arguments(self) -> None:
        """A wrong argument is reported by its name, before anything is asked."""
        untyped: Any = self.model  # a type checker would report the arguments, too
        ask, formula = untyped.ask, 'borders("France", y)'
        wrong: Any = [
            (lambda: ask(7), TypeError, "formula is 7, want str"),
            (lambda: ask(formula, k="3"), TypeError, "k is '3', want int"),
            (lambda: ask(formula, k=True), TypeError, "k is True, want int"),
            (lambda: ask(formula, offset=1.5), TypeError, "offset is 1.5, want int"),
            (lambda: ask(formula, status="knwon"), ValueError, "status is 'knwon', want one of 'known', 'predicted', "),
            (lambda: ask(formula, status=["knwon"]), ValueError, "status is ['knwon'], want one of 'known', "),
            (lambda: ask(formula, kind="answer"), ValueError, "kind is 'answer', want one of 'answers', 'rows', "),
            (lambda: ask(formula, type=["a"]), TypeError, "type is ['a'], want str"),
            (lambda: ask(formula, show="x"), TypeError, "show is 'x', want a list, each item str"),
            (lambda: ask(formula, min_confidence="0.5"), TypeError, "min_confidence is '0.5', want float"),
            (lambda: ask(formula, in_range=1), TypeError, "in_range is 1, want bool"),
            (lambda: ask(formula, semantics="fuzzy"), ValueError, "semantics is 'fuzzy', want one of 'nsmp', 'fit', 'mixed' or None"),
            (lambda: ask(formula, settings=[1]), TypeError, "settings is [1], want a dict from str to float or None"),
            (lambda: ask(formula, semantics=1), TypeError, "semantics is 1, want one of "),
            (lambda: untyped.answer(7, []), TypeError, "template is 7, want str or Path"),
            (lambda: untyped.answer(NEIGHBOURS, ["France"]), TypeError, "rows has 'France', want dicts from the parameters"),
            (lambda: untyped.answer(NEIGHBOURS, [{"country": None}]), TypeError, "rows: country is None, want a name, a number or a date"),
            (lambda: untyped.answer(NEIGHBOURS, [{"country": True}]), TypeError, "rows: country is True, want a name, a number or a date"),
            (lambda: untyped.answer(NEIGHBOURS, [{"country": ["France"]}]), TypeError, "rows: country is ['France'], want a name"),
            (lambda: untyped.answer(NEIGHBOURS, [{"country": b"France"}]), TypeError, "rows: country is b'France', want a name"),
            (lambda: untyped.answer(NEIGHBOURS, [{"country": Fraction(1, 3)}]), TypeError, "rows: country is Fraction(1, 3), want a name, a number or a date"),
            (lambda: untyped.answer(NEIGHBOURS, [{"country": 1 + 2j}]), TypeError, "rows: country is (1+2j), want a name, a number or a date"),
            (lambda: untyped.answer(NEIGHBOURS, [{"country": float("inf")}]), TypeError, "rows: country is inf, want a name, a number or a date"),
            (lambda: untyped.answer(NEIGHBOURS, [{"country": 10**400}]), TypeError, "rows: country is 1000"),
            (lambda: untyped.answer(NEIGHBOURS, [{"country": 10**5000}]), TypeError, "rows: country is a number of more than 4300 digits, want"),
            (lambda: untyped.answer(NEIGHBOURS, [], kk=3), TypeError, "kk: there is no such argument; there is formula, kind, k, "),
            (lambda: untyped.answer(NEIGHBOURS, [], status=1), TypeError, "status is 1, want one of"),
            (lambda: untyped.missing(k="3"), TypeError, "k is '3', want int"),
            (lambda: untyped.find(3), TypeError, "name is 3, want str"),
            (lambda: untyped.why(7), TypeError, "question is 7, want str or Answers or JointAnswers or Verdict"),
            (lambda: untyped.why(formula, 7), TypeError, "answers is 7, want str or Answer"),
        ]
        with efoc.open(write=True) as opened:
            model: Any = opened
            wrong += [
                (lambda: model.add(["abc"]), TypeError, "facts has 'abc', want a head, a relation and a tail"),
                (lambda: model.add([("a", "b")]), TypeError, "facts has ('a', 'b'), want a head, a relation and a tail"),
                (lambda: model.add([("a", "b", float("nan"))]), TypeError, "facts has nan, want a name"),
                (lambda: model.add([], new=1), TypeError, "new is 1, want bool"),
                (lambda: model.request("v1/model"), ValueError, "path is 'v1/model', want one that begins with /"),
            ]
            for call, kind, text in wrong:
                with self.subTest(text), self.assertRaises(kind) as caught:
                    call()
                self.assertIn(text, str(caught.exception))

    def test_flags(self) -> None:
        with self.assertRaisesRegex(efoc.Error, "unknown flag --wrong"):
            efoc.open(wrong=1).ask('borders("France", y)')
        with efoc.open(semantics="fit", rows_mb=64) as model:
            self.assertEqual(model.ask('borders("France", y)').semantics, "fit")
            self.assertEqual(model.request("/v1/model")["limits"]["rows_bytes"], 64 << 20)


class Make(WithModel):
    def test_train_and_add(self) -> None:
        with self.folder() as folder:
            path = folder / "people.efoc"
            self.assertIn("wrote ", efoc.train(FACTS, path, **BRIEF).report)
            with efoc.open(path, write=True) as model, efoc.open(path) as reader:
                self.assertEqual(model.request("/v1/model")["name"], "people")
                self.assertEqual({a.name for a in model.ask('works_at(y, "globex")', status=["known"])}, {'a "quoted", name'})
                changed = model.add([("carol", "works_at", "acme"), FACTS[0]], new=True, by="ann")
                self.assertEqual((changed.added, changed.present, changed.entities, changed.facts), (1, 1, ("carol",), 5))
                self.assertEqual({a.name for a in model.ask('works_at(y, "acme")', status=["known"])}, {"ada", "bob", "carol"})
                for name in ("..", ".", "ö?/%#"):
                    self.assertEqual(model.add([(name, "works_at", "globex")], new=True).entities, (name,))
                    self.assertEqual(model.entity(name).name, name)
                    self.assertEqual(model.remove([(name, "works_at", "globex")]).removed, 1)
                self.assertEqual(model.request("/v1/entity/ö%3F%2F%25%23")["name"], "ö?/%#")
                with self.assertRaisesRegex(efoc.Error, "nobody"):
                    model.add([("nobody", "works_at", "acme")])
                with self.assertRaisesRegex(efoc.Error, "write=True"):
                    reader.add(FACTS)
                with self.assertRaises(efoc.Error), efoc.open(path, write=True) as second:
                    second.ask('works_at(y, "acme")')
                (witness,) = model.why('exists x. works_at("carol", x) & based_in(x, y)', "lisbon")
                self.assertEqual([atom.added and atom.added.by for atom in witness.atoms], ["ann", None])
                wrong = ("bob", "works_at", "globex")
                marked = model.remove([wrong], untrue=True)
                self.assertEqual((marked.marked, marked.removed, model.info()["untrue"]), (1, 0, 1))
                self.assertEqual(model.remove([FACTS[1]]).removed, 1)
                self.assertEqual(set(model.export()), {FACTS[0], FACTS[2], FACTS[3], ("carol", "works_at", "acme")})
                self.assertEqual(model.export(untrue=True), [wrong])
            with efoc.open(path) as again:
                self.assertIn("carol", [a.name for a in again.ask('works_at(y, "acme")', status=["known"])])

    def test_values(self) -> None:
        """Parameters take numbers and dates, of Python and of pandas."""
        template = "query Large(whole entity, least number, since date) y = part_of(y, $whole) & lines(y) > $least & seen(y) >= $since"
        table = "module,package,lines,seen\na,p,10,2001-05-06\nb,p,20.5,2002-05-06\nc,p,30,2003-05-06T12:00:00Z\nd,q,40,2004-05-06\n"
        columns = ["module -part_of-> package", "module -lines-> lines:number", "module -seen-> seen:date"]
        with self.folder() as folder:
            (folder / "wide.csv").write_text(table, "utf-8")
            model = efoc.train(folder / "wide.csv", folder / "wide.efoc", triples=columns, **BRIEF)
            with model:
                for least, since, want in [
                    (15, date(2001, 1, 1), "bc"), (20.5, "2001", "c"), ("20", "2002-05", "bc"), (0, date(2002, 5, 6), "bc"), (0, datetime(2002, 5, 6), "bc"),
                    (0, datetime(2003, 5, 6, 12), "c"), (0, datetime(2003, 5, 6, 12, tzinfo=timezone(timedelta(hours=-1))), ""), (-1e300, date(1, 1, 1), "abc"),
                    (Decimal("20.4"), date(2001, 1, 1), "bc"),
                ]:
                    (answers,) = model.answer(template, [{"whole": "p", "least": least, "since": since}], status="known")
                    self.assertEqual("".join(sorted(answer.name for answer in answers)), want, (least, since))
                self.assertEqual([(v.attribute, v.value) for v in model.entity("b").values], [("lines", "20.5"), ("seen", "2002-05-06")])
                until = "query Until(since date) y = part_of(y, \"p\") & seen(y) <= $since"
                for since, want in [(date(2003, 5, 6), "abc"), (datetime(2003, 5, 6), "ab"), (datetime(2003, 5, 6, 0, 0, 1), "ab")]:
                    (answers,) = model.answer(until, [{"since": since}], status="known")
                    self.assertEqual("".join(sorted(answer.name for answer in answers)), want, since)
                row: dict[str, Any] = {"whole": "p", "least": 15, "since": date(2001, 1, 1)}
                mistakes: list[tuple[dict[str, Any], str]] = [
                    ({"least": "many"}, 'parameter least: "many" is not a number'), ({"since": 3.5}, 'parameter since: "3.5" is not a date'),
                ]
                for wrong, text in mistakes:
                    with self.assertRaisesRegex(efoc.RowsError, text):
                        model.answer(template, [row | wrong])
                if importlib.util.find_spec("pandas"):
                    import pandas

                    frame = pandas.DataFrame({"whole": ["p", "q"], "least": [15.0, 15.0], "since": pandas.to_datetime(["2003-05-06", "2004-05-06"])})
                    self.assertEqual([[a.name for a in answers] for answers in model.answer(template, frame, status="known")], [["c"], ["d"]])

    def test_changed_values(self) -> None:
        """Values are added, replaced, filtered by, explained and removed, and another model takes them."""
        with self.folder() as folder:
            path = folder / "people.efoc"
            efoc.train(FACTS, path, **BRIEF)
            born = date(1990, 5, 17)
            with efoc.open(path, write=True) as model:
                changed = model.add([("ada", "born", born), ("ada", "height", 1.7), ("bob", "height", 1.8)], new=True)
                self.assertEqual((changed.added, changed.attributes, changed.values, changed.facts), (3, ("born", "height"), 3, 4))
                changed = model.add([("ada", "height", 1.75)], replace=True, by="ann")
                self.assertEqual((changed.added, changed.removed, changed.values), (1, 1, 3))
                formula = 'works_at(y, "acme") & height(y) < 1.78 & born(y) >= "1990"'
                self.assertEqual([a.name for a in model.ask(formula, status="known")], ["ada"])
                answers = model.ask(formula, status="known")
                self.assertEqual(answers[0].attributes, {"height": [1.75], "born": ["1990-05-17"]})
                self.assertEqual([(row["height"], row["born"]) for row in answers.records()], [(1.75, "1990-05-17")])
                rows = model.ask('x, y: works_at(x, y) & height(x) >? 1', status="known")
                self.assertEqual({(row["?x"], row["?x_height"]) for row in rows.records()}, {("ada", 1.75), ("bob", 1.8)})
                model.add([("ada", "score", 7)], new=True)
                (row,) = model.ask('works_at(y, "acme") & score(y) > 5', status="known").records()
                self.assertEqual((row["?y_score"], row["score"] <= 1), (7, True))
                model.remove([("ada", "score", 7)])
                (witness,) = model.why(formula, "ada")
                found = {value.attribute: (value.value, value.added and value.added.by) for value in witness.filters}
                self.assertEqual(found, {"height": ("1.75", "ann"), "born": ("1990-05-17", "")})
                self.assertRegex(str(witness), r"height\(ada\) = 1.75: stored, asked < 1.78, added 20..-..-.. by ann")
                values = [("ada", "born", "1990-05-17"), ("ada", "height", 1.75), ("bob", "height", 1.8)]
                self.assertEqual(model.values(), values)
                self.assertEqual(model.remove([("bob", "height", 1.8)]).removed, 1)
                with self.assertRaisesRegex(efoc.Error, 'add.0..tail: height is a number, such as 12.5: "tall" is not a number'):
                    model.add([("bob", "height", "tall")])
                with self.assertRaisesRegex(efoc.Error, "add.0..tail: height is a number, such as 12.5: 9007199254740993 would be read as 9007199254740992"):
                    model.add([("bob", "height", 2**53 + 1)])
            other = folder / "other.efoc"
            efoc.train(FACTS, other, **BRIEF)
            with efoc.open(other, write=True) as model:
                self.assertEqual(model.add(values, new=True).added, 3)

    def test_separators(self) -> None:
        """Names keep what separates lines elsewhere than in files of facts."""
        names = ["a\u2028b", "c\u2029d"]
        facts = [(name, "r", "z") for name in names]
        with self.folder() as folder:
            (folder / "facts.tsv").write_text("".join("\t".join(fact) + "\n" for fact in facts), "utf-8")
            with efoc.train(folder / "facts.tsv", folder / "facts.efoc", **BRIEF) as model:
                self.assertEqual(set(model.export()), set(facts))

    def test_path(self) -> None:
        """A path that leads nowhere is refused at once, and a model shows its path."""
        with self.folder() as folder:
            with self.assertRaisesRegex(FileNotFoundError, "nowhere.efoc"):
                efoc.open(folder / "nowhere.efoc")
            (folder / "some.efoc").touch()
            self.assertEqual(repr(efoc.open(folder / "some.efoc")), f"efoc.open({str(folder / 'some.efoc')!r})")
        self.assertEqual(repr(efoc.open()), "efoc.open()")

    def test_eval(self) -> None:
        report = self.model.eval(limit=20)
        self.assertEqual([kind["name"] for kind in report["own"]["kinds"]][:2], ["r(h, y), h has facts of r", "r(h, y), h has none"])
        self.assertEqual(report["own"]["kinds"][0]["questions"], 20)

    def test_errors_once(self) -> None:
        """An error is the text of the exception, and not printed as well."""
        printed = io.StringIO()
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(printed), self.assertRaises(efoc.Error) as caught:
            efoc.train(Path(folder, "missing.tsv"), Path(folder, "m.efoc"))
        self.assertIn("no such file", str(caught.exception))
        self.assertNotIn("no such file", printed.getvalue())

    def test_train_refused(self) -> None:
        with self.folder() as folder, self.assertRaisesRegex(efoc.Error, "missing.tsv: no such file"):
            efoc.train(folder / "missing.tsv", folder / "m.efoc")
        with self.folder() as folder, self.assertRaisesRegex(efoc.Error, "unknown flag --budgt"):
            efoc.train(FACTS, folder / "m.efoc", budgt="1m")

    @unittest.skipIf(os.name == "nt", "needs signals")
    def test_train_interrupted(self) -> None:
        """An interrupt leaves the checkpoint to go on from, and nothing that runs."""
        with self.folder() as folder:
            code = "import efoc, sys; efoc.train(*sys.argv[1:], rank=8, epochs=10000, trainer=['patience=0'])"
            args = [str(ROOT / "cmd/efoc/world/train.tsv"), str(folder / "m.efoc")]
            process = subprocess.Popen([sys.executable, "-c", code, *args], stderr=subprocess.PIPE, encoding="utf-8")
            assert process.stderr is not None
            for line in process.stderr:
                if line.startswith("epoch 2"):
                    break
            process.send_signal(signal.SIGINT)
            rest = process.stderr.read()
            process.wait()
            process.stderr.close()
            self.assertIn("go on with --resume", rest)
            self.assertIn("KeyboardInterrupt", rest)
            self.assertTrue((folder / "m.ckpt").exists())

    def ring(self, folder: Path) -> Path:
        """Make a folder as PyKEEN leaves it, of the ring whose embeddings testdata has."""
        triples = folder / "training_triples"
        triples.mkdir(parents=True)
        shutil.copy(ROOT / "runtime/model/importer/testdata/pykeen.pkl", folder / "trained_model.pkl")
        self.names(triples, "entity_to_id.tsv.gz", "relation_to_id.tsv.gz", "id\tlabel\n")
        with gzip.open(triples / "numeric_triples.tsv.gz", "wt") as file:
            file.write("head\trelation\ttail\n")
            file.writelines(f"{11 - i}\t{1 - r}\t{11 - (i + shift) % 12}\n" for i in range(12) for r, shift in enumerate((1, 5)))
        return folder

    def names(self, folder: Path, entities: str, relations: str, header: str = "") -> None:
        for name, list_ in ((entities, [f"n{11 - i}" for i in range(12)]), (relations, ["by5", "by1"])):
            text = header + "".join(f"{i}\t{item}\n" for i, item in enumerate(list_))
            (folder / name).write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())

    def check(self, model: efoc.Model) -> None:
        with model:
            for relation, shift in (("by1", 1), ("by5", 5)):
                for i in range(12):
                    answers = model.ask(f'{relation}("n{i}", y)', k=1)
                    self.assertEqual((answers[0].name, answers[0].status), (f"n{(i + shift) % 12}", "known"))

    def test_import_pykeen(self) -> None:
        with self.folder() as folder:
            run = self.ring(folder / "run")
            self.check(efoc.import_(run, folder / "a.efoc"))
            self.check(efoc.import_(str(run / "trained_model.pkl"), folder / "b.efoc", run / "training_triples"))
            both = efoc.import_([run, run], folder / "both.efoc", weights="2,1")
            self.assertIn("rank 8", both.report)
            self.check(both)
            # Objects save themselves as they do in PyKEEN.
            result = types.SimpleNamespace(save_to_directory=lambda to: shutil.copytree(run, to, dirs_exist_ok=True))
            self.check(efoc.import_(result, folder / "c.efoc"))
            torch = types.SimpleNamespace(save=lambda model, path: shutil.copy(run / "trained_model.pkl", path))
            factory = types.SimpleNamespace(to_path_binary=lambda to: shutil.copytree(run / "training_triples", to))
            with mock.patch.dict(sys.modules, {"torch": torch}):
                self.check(efoc.import_(object(), folder / "d.efoc", factory, table="float32"))
                with self.assertRaisesRegex(efoc.Error, "object: want a path"):
                    efoc.import_(object(), folder / "e.efoc")

    def test_import_libkge(self) -> None:
        with self.folder() as folder:
            run, data = folder / "run", folder / "data"
            data.mkdir()
            run.mkdir()
            self.names(data, "entity_ids.del", "relation_ids.del")
            (data / "train.del").write_text(
                "".join(f"{11 - i}\t{1 - r}\t{11 - (i + shift) % 12}\n" for i in range(12) for r, shift in enumerate((1, 5)))
            )
            source = ROOT / "runtime/model/importer/testdata/libkge.pt"
            shutil.copy(source, run / "checkpoint_best.pt")
            self.check(efoc.import_(run, folder / "a.efoc", data))
            with self.assertRaisesRegex(efoc.Error, "give the graph"):
                efoc.import_(run, folder / "b.efoc")
            model = types.SimpleNamespace(dataset=types.SimpleNamespace(folder=str(data)), config=None, save=lambda: ())
            with mock.patch.dict(sys.modules, {"torch": types.SimpleNamespace(save=lambda model, path: shutil.copy(source, path))}):
                self.check(efoc.import_(model, folder / "c.efoc"))


def asked(model: efoc.Model) -> str:
    return model.ask('capital("France", y)', k=1)[0].name


class Lifetime(WithModel):
    def test_token(self) -> None:
        asked(self.model)
        for token in ("", "Bearer " + "0" * 32):
            connection = http.client.HTTPConnection(address(self.model))
            connection.request("GET", "/v1/model", headers={"Authorization": token})
            response = connection.getresponse()
            self.assertEqual(response.status, 401)
            response.read()
            connection.close()

    def test_close(self) -> None:
        with efoc.open() as model:
            asked(model)
            first = address(model)
        self.assertTrue(refused(first))
        self.assertEqual(asked(model), "Paris")
        second = address(model)
        del model
        gc.collect()
        self.assertTrue(refused(second))

    def test_crash(self) -> None:
        """A server that crashed is started again with the next question."""
        with efoc.open() as model:
            asked(model)
            assert model._server is not None
            model._server.process.kill()
            model._server.process.wait()
            self.assertEqual(asked(model), "Paris")

    @unittest.skipIf(os.name == "nt", "needs signals")
    def test_interpreter_ends(self) -> None:
        """The server ends with its interpreter, however that ends, and not by an interrupt of the terminal."""
        code = "import efoc, sys, time; m = efoc.open(); m.ask('capital(\"France\", y)'); print(m._server.address, flush=True); {}"
        for end, signals in (
            ("pass", ()),
            ("sys.exit(3)", ()),
            ("time.sleep(600)", (signal.SIGKILL,)),
            ("time.sleep(600)", (signal.SIGTERM,)),
        ):
            with self.subTest(end, signals=signals), subprocess.Popen(
                [sys.executable, "-c", code.format(end)], stdout=subprocess.PIPE, encoding="utf-8"
            ) as process:
                assert process.stdout is not None
                where = process.stdout.readline().strip()
                for number in signals:
                    process.send_signal(number)
                process.wait()
                self.assertTrue(refused(where))

    @unittest.skipUnless(hasattr(os, "fork"), "needs forks")
    def test_fork_outlives_interpreter(self) -> None:
        """The server ends with the interpreter that started it, though a fork lives on."""
        code = """
import efoc, os, sys, time
model = efoc.open()
model.ask('capital("France", y)')
child = os.fork()
if child == 0:
    time.sleep(600)
print(model._server.address, child, flush=True)
time.sleep(600)
"""
        with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, encoding="utf-8") as process:
            assert process.stdout is not None
            where, child = process.stdout.readline().split()
            process.kill()
            process.wait()
            try:
                self.assertTrue(refused(where))
            finally:
                os.kill(int(child), signal.SIGKILL)

    @unittest.skipIf(os.name == "nt", "needs signals")
    def test_terminal_interrupt(self) -> None:
        code = """
import efoc, time
with efoc.open() as model:
    try:
        model.ask('capital("France", y)')
        server = model._server.process
        print("ready", flush=True)
        time.sleep(600)
    except KeyboardInterrupt:
        print(model.ask('capital("Peru", y)')[0].name, model._server.process is server)
"""
        with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, encoding="utf-8", start_new_session=True) as process:
            assert process.stdout is not None
            self.assertEqual(process.stdout.readline(), "ready\n")
            os.killpg(process.pid, signal.SIGINT)
            self.assertEqual(process.stdout.read(), "Lima True\n")

    def test_threads_and_forks(self) -> None:
        with ThreadPoolExecutor(8) as threads:
            self.assertEqual(set(threads.map(asked, [self.model] * 64)), {"Paris"})
        if "fork" in multiprocessing.get_all_start_methods():
            with multiprocessing.get_context("fork").Pool(2) as forks:
                self.assertEqual(forks.apply(_asked_here), "Paris")
            self.assertEqual(asked(self.model), "Paris")


def _asked_here() -> str:
    return asked(Lifetime.model)


if __name__ == "__main__":
    unittest.main()
