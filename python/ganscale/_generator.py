"""Trained generators as modules of PyTorch."""

from __future__ import annotations

import json
import math
import operator
import os
import pathlib
import subprocess
import tempfile
import warnings
from collections.abc import Sequence
from typing import Any, SupportsIndex

import torch

from . import _random
from ._program import environment, program

_LATENT_SITE, _TRUNCATION_SITE = 0, 0xFFFE  # of worker/cli/images/image_sampler.cpp
_FACTS = ("model", "resolution", "channels", "z_dim", "label_count", "images_seen", "seed", "truncates_latents",
          "label_probabilities")


def _numbers(label: Any) -> list[int]:
    """Returns one number or several, of Python, NumPy or PyTorch, as a list."""
    try:
        return [operator.index(label)]
    except TypeError:
        return [operator.index(each) for each in label]


class Generator(torch.nn.Module):
    """The moving average of a run's generator, as `ganscale export` writes it.

    model:               the name of the model, such as "stylegan2".
    resolution:          the side of the images, or their height and width.
    channels, z_dim:     of the images and latents.
    labels:              the labels that it knows, for a conditional model; otherwise none.
    label_probabilities: how frequent each label is in the data, if known.
    images_seen:         by the training, at the checkpoint.
    """

    def __init__(self, file: str | os.PathLike[str]) -> None:
        """Loads a file that `ganscale export --format torchscript` wrote. Raises: ValueError for another one."""
        super().__init__()
        facts = dict.fromkeys(_FACTS, "")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # torch.export has no counterpart that C++ writes
            try:
                self.script = torch.jit.load(os.fspath(file), map_location="cpu", _extra_files=facts)
            except RuntimeError as error:
                raise ValueError(f"not TorchScript: {os.fspath(file)}; of weights of other programs, first make a run: "
                                 f"ganscale import --from {os.fspath(file)} --run FOLDER") from error
        text = {name: value.decode() if isinstance(value, bytes) else value for name, value in facts.items()}
        if not text["z_dim"] or not text["seed"]:
            raise ValueError(f"not a generator that `ganscale export` wrote: {os.fspath(file)}")
        self.model = text["model"]
        height, _, width = text["resolution"].partition("x")  # "256" or "256x512"
        self.resolution: int | tuple[int, int] = (int(height), int(width)) if width else int(height)
        self.channels = int(text["channels"])
        self.z_dim, self.images_seen = int(text["z_dim"]), int(text["images_seen"])
        self.label_probabilities: list[float] = json.loads(text["label_probabilities"] or "[]")
        self.labels = self._known_labels(int(text["label_count"]))
        self._seed = int(text["seed"])
        self._truncates_latents = text["truncates_latents"] == "true"
        self.eval()

    def _known_labels(self, label_count: int) -> list[int]:
        """Returns the labels: of a bundle, those that it has a generator for."""
        prefix = "label_"
        names = [name for name, _ in self.script.named_children()]
        numbers = [int(name.removeprefix(prefix)) for name in names if name.removeprefix(prefix).isdigit()]
        return sorted(numbers) or list(range(label_count))

    def forward(self, z: torch.Tensor, labels: torch.Tensor | None = None) -> torch.Tensor:
        """Returns images, [N, C, H, W] in [-1, 1].

        z:      [N, z_dim].
        labels: [N] int64, for a conditional model and only for one. Raises: ValueError.
        """
        if (labels is None) == bool(self.labels):
            raise ValueError(f"{self.model}: " + ("labels are missing" if self.labels else "the model has no labels"))
        images: torch.Tensor = self.script(z) if labels is None else self.script(z, labels)
        return images

    def latents(self, seeds: Sequence[int], truncation: float | None = None) -> torch.Tensor:
        """Returns the latents of seeds, [N, z_dim], as for `ganscale generate` and the run's sample grids.

        truncation: the threshold beyond which BigGAN's latents are redrawn.
        Raises:     ValueError for a negative seed, for a threshold that is not positive and finite, and for one of other models.
        """
        if negative := [seed for seed in seeds if seed < 0]:
            raise ValueError(f"seeds must not be negative: {negative[0]}")
        images = torch.tensor(list(seeds), dtype=torch.int64)
        z = _random.normal(self._seed, images, self.z_dim, _LATENT_SITE)
        if truncation is None:
            return z
        if not self._truncates_latents:
            raise ValueError(f"{self.model}: an exported generator does not truncate; use `ganscale generate --truncation`")
        if not 0 < truncation < math.inf:
            raise ValueError(f"truncation: the threshold of latents must be positive and finite: {truncation}")
        uniform = _random.uniform(self._seed, images, self.z_dim, _TRUNCATION_SITE)
        share_within = math.erf(truncation / math.sqrt(2))
        within = torch.erfinv((uniform * 2 - 1) * share_within) * math.sqrt(2)
        return torch.where(z.abs() <= truncation, z, within.clamp(-truncation, truncation))

    @torch.no_grad()
    def sample(
        self, n: int, *, seed: int = 0, label: SupportsIndex | Sequence[SupportsIndex] | None = None, truncation: float | None = None
    ) -> torch.Tensor:
        """Returns the images of n consecutive seeds, [n, C, H, W] in [-1, 1], as for
        `ganscale generate --seeds SEED-LAST --labels LABEL`.

        seed:       the first one.
        label:      one or several, assigned to the seeds in turn; None: all that the model knows.
        truncation: as for latents().
        Raises:     ValueError.
        """
        place = next(self.script.parameters()).device
        z = self.latents(range(seed, seed + n), truncation).to(place)
        images: torch.Tensor = self(z, self._labels_in_turn(n, label, place))
        return images

    def _labels_in_turn(
        self, n: int, label: SupportsIndex | Sequence[SupportsIndex] | None, place: torch.device
    ) -> torch.Tensor | None:
        if label is None and not self.labels:
            return None
        choice = self.labels if label is None else _numbers(label)
        if not choice:
            raise ValueError(f"{self.model}: label: the list is empty; None takes all that the model knows")
        if unknown := [each for each in choice if each not in self.labels]:
            raise ValueError(f"{self.model}: unknown labels: {unknown}; known are {self.labels}")
        return torch.tensor([choice[i % len(choice)] for i in range(n)], device=place)


def load_generator(source: str | os.PathLike[str]) -> Generator:
    """Loads a generator of any model, on the CPU.

    source: a run folder, for its newest valid checkpoint; the folder of a checkpoint; a bundle (bundle.safetensors); or a file of
            `ganscale export --format torchscript`.
    Raises: FileNotFoundError; ValueError with the words of `ganscale export`; MissingLibrary.
    """
    path = pathlib.Path(source)
    if not path.exists():
        raise FileNotFoundError(f"no run, checkpoint, bundle or exported generator: {path}")
    if path.is_file() and path.suffix != ".safetensors":
        return Generator(path)
    option = "--run" if (path / "config.yaml").exists() else "--checkpoint"
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "generator.pt"
        command = [str(program()), "export", option, str(path), "--format", "torchscript", "--out", str(file)]
        result = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)
        if result.returncode != 0:
            raise ValueError(f"cannot export the generator of {path}: {result.stderr.strip()}")
        return Generator(file)
