"""Run folders: what a training wrote about itself (docs/operations.md lists the files)."""

from __future__ import annotations

import json
import os
import pathlib
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas


class Run:
    """A run folder. It is only read, so a training may be writing to it.

    Raises: FileNotFoundError if the folder has no config.yaml.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = pathlib.Path(path)
        if not (self.path / "config.yaml").is_file():
            raise FileNotFoundError(f"not the folder of a run, it has no config.yaml: {self.path}")

    def __repr__(self) -> str:
        return f"Run({str(self.path)!r})"

    def stats(self) -> list[dict[str, Any]]:
        """Returns a dictionary for each tick: progress, speed, losses; none before the first tick.

        Raises: ValueError with file and line if a line is not JSON.
        """
        return _json_lines(self.path / "stats.jsonl")

    def metrics(self) -> list[dict[str, Any]]:
        """Returns a dictionary for each evaluation. Raises: as stats()."""
        return _json_lines(self.path / "metrics.jsonl")

    def stats_frame(self) -> pandas.DataFrame:
        """Returns stats() as a DataFrame with a row for each tick and columns such as `loss.generator`.

        Raises: ImportError without pandas; as stats().
        """
        return _frame(self.stats())

    def metrics_frame(self) -> pandas.DataFrame:
        """Returns metrics() as a DataFrame with a row for each evaluation. Raises: as stats_frame()."""
        return _frame(self.metrics())

    def checkpoints(self) -> list[pathlib.Path]:
        """Returns the folders of the checkpoints, the oldest first."""
        return _by_number(file.parent for file in self.path.glob("checkpoints/kimg-*/manifest.json"))

    def labels(self) -> list[Run]:
        """Returns the runs of the labels, of scheme `per_label`; otherwise none."""
        return [Run(folder) for folder in _by_number(file.parent for file in self.path.glob("labels/label-*/config.yaml"))]


def runs(folder: str | os.PathLike[str]) -> list[Run]:
    """Returns the runs in a folder and its subfolders, trained or imported, by path. The runs of labels belong to theirs: see
    Run.labels().

    Raises: NotADirectoryError.
    """
    if not os.path.isdir(folder):
        raise NotADirectoryError(f"not a folder: {os.fspath(folder)}")
    found = []
    for path, folders, files in os.walk(folder):
        if "config.yaml" in files and ("provenance.jsonl" in files or "checkpoints" in folders):
            found.append(Run(path))
            folders.clear()
    return sorted(found, key=lambda run: run.path)


def _by_number(folders: Iterable[pathlib.Path]) -> list[pathlib.Path]:
    """Returns the folders whose names end with a number, such as kimg-000001.536, by that: as text, a longer one may come too early."""
    numbered = [folder for folder in folders if re.fullmatch(r"[a-z]+-\d+(\.\d+)?", folder.name)]
    return sorted(numbered, key=lambda folder: float(folder.name.partition("-")[2]))


def _json_lines(file: pathlib.Path) -> list[dict[str, Any]]:
    """Returns the objects of a file; without the last line if a process is still writing it."""
    if not file.exists():
        return []
    *lines, _ = file.read_text(encoding="utf-8").split("\n")
    found = []
    for number, line in enumerate(lines, start=1):
        try:
            found.append(json.loads(line))
        except json.JSONDecodeError as error:
            raise ValueError(f"{file}:{number}: not JSON: {error}") from None
    return found


def _frame(records: list[dict[str, Any]]) -> pandas.DataFrame:
    import pandas

    return pandas.json_normalize(records)
