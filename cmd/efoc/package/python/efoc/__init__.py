"""Answers to first-order questions over knowledge graphs that lack facts.

The package starts the program efoc, which its wheel carries, and asks it over HTTP. It knows nothing of formulas and models itself.
"""

from ._make import import_, train
from ._model import Model, open
from ._results import Answer, Answers, Atom, Batch, Change, Changed, Count, Coverage, Entity, EntityFacts, Error, Fact, FilterValue, Found
from ._results import JointAnswer, JointAnswers, Links, Missing, MissingFact, Mistake, Origin, RelationFacts, RequestError
from ._results import RowsError, Standing, StoredValue, Value, Verdict, WhyNot, Witness

__all__ = ["Answer", "Answers", "Atom", "Batch", "Change", "Changed", "Count", "Coverage", "Entity", "EntityFacts", "Error", "Fact", "FilterValue"]
__all__ += ["Found", "JointAnswer", "JointAnswers", "Links", "Missing", "MissingFact", "Mistake", "Model", "Origin"]
__all__ += ["RelationFacts", "RequestError", "RowsError", "Standing", "StoredValue", "Value", "Verdict", "WhyNot", "Witness", "import_", "open", "train"]
