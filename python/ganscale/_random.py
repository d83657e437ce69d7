"""The worker's random numbers: functions of seed, image and site (worker/base/random.h, worker/kernels/counter_random)."""

from __future__ import annotations

import math

import torch

_SAMPLES = 9  # the stream of sample grids and `ganscale generate`
_LOW = 0xFFFFFFFF


def normal(seed: int, images: torch.Tensor, count: int, site: int) -> torch.Tensor:
    """Returns standard normal numbers, [N, count] float32 (Box & Muller 1958).

    images: [N] int64, the numbers of the images.
    """
    words = _words(seed, images, count, site)
    radius = torch.sqrt(-2 * torch.log((words[:, 0::2].float() + 0.5) * 2.0**-32))
    angle = 2 * math.pi * _unit_interval(words[:, 1::2])
    pairs = torch.stack([radius * torch.cos(angle), radius * torch.sin(angle)], dim=2)
    return pairs.flatten(1)[:, :count]


def uniform(seed: int, images: torch.Tensor, count: int, site: int) -> torch.Tensor:
    """Returns uniform numbers in [0, 1), [N, count] float32. images: as for normal()."""
    return _unit_interval(_words(seed, images, count, site))[:, :count]


def _unit_interval(words: torch.Tensor) -> torch.Tensor:
    return (words >> 8).float() * 2.0**-24


def _words(seed: int, images: torch.Tensor, count: int, site: int) -> torch.Tensor:
    """Returns words of 32 bits as int64, [N, at least count]: four of each block of each image.

    Philox4x32-10 (Salmon et al. 2011). A product of two words wraps around in int64 with all its bits right.
    """
    blocks = torch.arange((count + 3) // 4).expand(len(images), -1)
    image = images.unsqueeze(1).expand_as(blocks)
    high = ((image >> 32) << 16 & _LOW) | (site & 0xFFFF)
    counter = [blocks, image & _LOW, high, torch.full_like(blocks, _SAMPLES)]
    key = [seed & _LOW, seed >> 32 & _LOW]
    for _ in range(10):
        product0, product1 = 0xD2511F53 * counter[0], 0xCD9E8D57 * counter[2]
        counter = [
            (product1 >> 32 & _LOW) ^ counter[1] ^ key[0],
            product1 & _LOW,
            (product0 >> 32 & _LOW) ^ counter[3] ^ key[1],
            product0 & _LOW,
        ]
        key = [key[0] + 0x9E3779B9 & _LOW, key[1] + 0xBB67AE85 & _LOW]
    return torch.stack(counter, dim=2).flatten(1)
