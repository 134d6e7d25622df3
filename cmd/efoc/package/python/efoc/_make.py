"""New models: training, and import of embeddings that were trained elsewhere."""

from __future__ import annotations

import csv
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ._model import Model, open as open_model, triples
from ._program import flags, run
from ._results import Error


def train(graph: str | os.PathLike[str] | Iterable[Any], output: str | os.PathLike[str], **options: Any) -> Model:
    """Train on a file or folder, facts, or a frame of pandas; write the model and open it. Options are flags of efoc train: budget="1m".

    The model's report is the text that the command has printed: what was trained, and how good it is.
    """
    with tempfile.TemporaryDirectory() as scratch:
        return _make("train", graph, output, Path(scratch), options)


def import_(trained: Any, output: str | os.PathLike[str], graph: Any = None, **options: Any) -> Model:
    """Make a model of a graph and trained embeddings, and open it. Options are flags of efoc import, such as table="float32".

    trained is a file or folder that efoc import reads, a PipelineResult of PyKEEN, a model of PyKEEN with its TriplesFactory as graph, a
    model of LibKGE, or a list of these, whose scores are averaged. Results and folders of PyKEEN hold their training triples, and a model of LibKGE knows its folder: others need a graph.
    """
    with tempfile.TemporaryDirectory() as scratch:
        listed = trained if isinstance(trained, (list, tuple)) else [trained]
        paths = [
            Path(x) if isinstance(x, (str, os.PathLike)) else _save(x, graph, Path(scratch) / f"trained{i}") for i, x in enumerate(listed)
        ]
        saved = paths[0] / "training_triples"
        if saved.is_dir() and (graph is None or hasattr(graph, "to_path_binary")):
            graph = saved
        elif graph is None and hasattr(listed[0], "dataset"):
            graph = listed[0].dataset.folder
        elif graph is None:
            raise Error(f"{paths[0]} holds no training triples: give the graph")
        return _make("import", graph, output, Path(scratch), {"checkpoint": paths, **options})


def _save(trained: Any, graph: Any, folder: Path) -> Path:
    """Save an object of PyKEEN or LibKGE as these do, and return the folder."""
    folder.mkdir()
    if hasattr(trained, "save_to_directory"):
        trained.save_to_directory(folder)
        return folder
    import torch  # type: ignore[import-not-found, unused-ignore]

    if hasattr(graph, "to_path_binary"):
        torch.save(trained, folder / "trained_model.pkl")
        graph.to_path_binary(folder / "training_triples")
    elif hasattr(trained, "dataset") and hasattr(trained, "save"):
        torch.save({"type": "train", "model": trained.save(), "config": trained.config}, folder / "checkpoint_best.pt")
    else:
        raise Error(f"{type(trained).__name__}: want a path, a result or a model of PyKEEN, this with its TriplesFactory, or one of LibKGE")
    return folder


def _make(command: str, graph: Any, output: str | os.PathLike[str], scratch: Path, options: dict[str, Any]) -> Model:
    """Run a command that makes a model, which gets the name of its file, of a graph, whose facts are put into a file."""
    if not isinstance(graph, (str, os.PathLike)):
        rows, graph = triples(graph), scratch / "facts.csv"
        with graph.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([["head", "relation", "tail"], *rows])
    report = run(command, os.fsdecode(graph), *flags({"output": os.fsdecode(output), "name": Path(os.fsdecode(output)).stem, **options}))
    model = open_model(output)
    model.report = report
    return model
