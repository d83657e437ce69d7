"""Sizes, rates and filters of StyleGAN3's layers (Karras et al. 2021, arXiv:2106.12423, Section 3.2, Appendix D)."""
import math
from dataclasses import dataclass

import torch

LAYERS, CRITICAL = 14, 2  # without the layer to RGB
MARGIN = 10
FIRST_CUTOFF, FIRST_STOPBAND = 2, 2**2.1
LAST_STOPBAND = 2**0.3  # by the cutoff
TAPS = 6  # of a filter, for each multiple of a rate
ACTIVATION_RATE = 2


@dataclass(frozen=True)
class Signal:
    """What a layer takes or gives; frequencies are in cycles per image width."""
    channels: int
    size: int
    rate: int
    cutoff: float
    half_width: float


def signal(preset, resolution, number):
    """Returns what layer `number` gives."""
    exponent = min(number / (LAYERS - CRITICAL), 1)
    cutoff = FIRST_CUTOFF * (resolution / 2 / FIRST_CUTOFF) ** exponent
    stopband = FIRST_STOPBAND * (resolution / 2 * LAST_STOPBAND / FIRST_STOPBAND) ** exponent
    rate = 2 ** math.ceil(math.log2(min(stopband * 2, resolution)))
    return Signal(channels=3 if number == LAYERS else round(min(preset.channel_base / 2 / cutoff, preset.channel_max)),
                  size=resolution if number >= LAYERS - 1 else rate + 2 * MARGIN,
                  rate=rate, cutoff=cutoff, half_width=max(stopband, rate / 2) - cutoff)


def low_pass(taps, side, rate):
    """Returns the taps of a Kaiser-windowed sinc filter for a signal at a rate, or nothing for a single tap."""
    if taps == 1:
        return None
    attenuation = 2.285 * (taps - 1) * math.pi * 2 * side.half_width / (rate / 2) + 7.95
    beta = 0.1102 * (attenuation - 8.7)
    if attenuation <= 50:
        excess = max(attenuation - 21, 0)
        beta = 0.5842 * excess**0.4 + 0.07886 * excess
    place = torch.arange(taps, dtype=torch.double) - (taps - 1) / 2
    line = torch.sinc(place * (2 * side.cutoff / rate))
    line *= torch.kaiser_window(taps, periodic=False, beta=beta, dtype=torch.double)
    return (line / line.sum()).float()


class Geometry:
    """Of one layer: kernel, up, down, pad (before, after), up_filter and down_filter (or None)."""

    def __init__(self, preset, resolution, number):
        self.into, self.out = signal(preset, resolution, max(number - 1, 0)), signal(preset, resolution, number)
        self.is_to_rgb = number == LAYERS
        self.kernel = 1 if self.is_to_rgb else 3
        rate = max(self.into.rate, self.out.rate) * (1 if self.is_to_rgb else ACTIVATION_RATE)
        self.up, self.down = rate // self.into.rate, rate // self.out.rate
        up_taps, down_taps = (TAPS * factor if factor > 1 else 1 for factor in (self.up, self.down))
        self.up_filter, self.down_filter = low_pass(up_taps, self.into, rate), low_pass(down_taps, self.out, rate)
        grown = (self.into.size + self.kernel - 1) * self.up
        pad = (self.out.size - 1) * self.down + 1 - grown + up_taps + down_taps - 2
        before = (pad + self.up) // 2
        self.pad = (before, pad - before)
