"""Answers to first-order questions over knowledge graphs that lack facts.

The package starts the program efoc, which its wheel carries, and asks it over HTTP. It knows nothing of formulas and models itself.
"""

from ._make import import_, train
from ._model import Model, open
from ._results import Answer, Answers, Atom, Batch, Changed, Count, Entity, Error, JointAnswer, JointAnswers, Mistake, RequestError, RowsError
from ._results import Value, Verdict, Witness

__all__ = ["Answer", "Answers", "Atom", "Batch", "Changed", "Count", "Entity", "Error", "JointAnswer", "JointAnswers", "Mistake"]
__all__ += ["Model", "RequestError", "RowsError", "Value", "Verdict", "Witness", "import_", "open", "train"]
