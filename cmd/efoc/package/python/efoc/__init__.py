"""Answers to first-order questions over knowledge graphs that lack facts.

The package starts the program efoc, which its wheel carries, and asks it over HTTP. It knows nothing of formulas and models itself.
"""

from ._make import import_, train
from ._model import Model, open
from ._results import Answer, Answers, Atom, Batch, Changed, Count, Entity, EntityFacts, Error, Fact, Found, JointAnswer, JointAnswers, Links
from ._results import Missing, MissingFact, Mistake, Origin, RelationFacts, RequestError, RowsError, Value, Verdict, Way, Ways, Witness

__all__ = ["Answer", "Answers", "Atom", "Batch", "Changed", "Count", "Entity", "EntityFacts", "Error", "Fact", "Found", "JointAnswer"]
__all__ += ["JointAnswers", "Links", "Missing", "MissingFact", "Mistake", "Model", "Origin", "RelationFacts", "RequestError", "RowsError"]
__all__ += ["Value", "Verdict", "Way", "Ways", "Witness", "import_", "open", "train"]
