"""Runs of ganscale in Python: their generators as modules of PyTorch, their statistics, and the start of new ones.

    import ganscale

    ganscale.launch(["train", "--data", "photos/", "--run", "runs/r1"], n=2)
    images = ganscale.load_generator("runs/r1").sample(16, seed=0)      # [16, C, H, W] in [-1, 1]
    frame = ganscale.Run("runs/r1").stats_frame()

Importing this package does not import torch; load_generator and Generator do.
"""

from __future__ import annotations

import importlib.metadata
from typing import TYPE_CHECKING, Any

from ._launch import LaunchError, launch
from ._program import MissingLibrary
from ._run import Run, runs

if TYPE_CHECKING:
    from ._generator import Generator, load_generator

__all__ = ["Generator", "LaunchError", "MissingLibrary", "Run", "launch", "load_generator", "runs"]
__version__ = importlib.metadata.version("ganscale")


def __getattr__(name: str) -> Any:
    if name not in ("Generator", "load_generator"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import _generator

    return getattr(_generator, name)
