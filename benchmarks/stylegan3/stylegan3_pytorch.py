#!/usr/bin/env python3
"""Training steps of StyleGAN3-T in eager PyTorch, written from Karras et al. 2021, arXiv:2106.12423.

The filtered leaky ReLU is what it is made of: zero insertion, two depthwise convolutions, the activation, two depthwise
convolutions. Modulated convolutions have either of their two forms. The discriminator is that of stylegan2_pytorch.py.
Writes one JSON line for compare_iterations.py.
"""
import copy
import math
import sys
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / folder) for folder in ("timing", "stylegan2")]
import timing  # noqa: E402
from geometry import LAYERS, Geometry, signal  # noqa: E402
from stylegan2_pytorch import Dense, Discriminator, Preset, adam, insert_zeros  # noqa: E402

G_RATE, D_RATE = 0.0025, 0.002
R1_GAMMA, R1_INTERVAL = 0.5, 16
W_BETA, MAGNITUDE_BETA = 0.998, 0.9989


def upfirdn(x, taps, up=1, down=1, pad=(0, 0)):
    x = insert_zeros(x, up, pad)
    if taps is None:
        return x
    row = (taps * up).expand(x.shape[1], 1, 1, -1)
    x = functional.conv2d(x, row, groups=x.shape[1], stride=(1, down))
    return functional.conv2d(x, row.transpose(2, 3), groups=x.shape[1], stride=(down, 1))


def scale_features(x, weight, styles, gain, demodulates):
    """One weight for all images: features are scaled before and after."""
    y = functional.conv2d(x * (styles * gain)[:, :, None, None], weight, padding=weight.shape[2] - 1)
    if demodulates:
        power = styles.square() @ weight.square().sum([2, 3]).t()
        y = y * torch.rsqrt(power + 1e-8)[:, :, None, None]
    return y


def scale_weights(x, weight, styles, gain, demodulates):
    """A weight for each image, in one grouped convolution."""
    n, c, height, width = x.shape
    weight = weight * styles[:, None, :, None, None]
    if demodulates:
        weight = weight * torch.rsqrt(weight.square().sum([2, 3, 4], keepdim=True) + 1e-8)
    weight = (weight * gain).flatten(0, 1)
    y = functional.conv2d(x.reshape(1, n * c, height, width), weight, padding=weight.shape[2] - 1, groups=n)
    return y.view(n, -1, *y.shape[2:])


class SynthesisInput(nn.Module):
    def __init__(self, preset, made):
        super().__init__()
        self.made = made
        self.affine = Dense(preset.z_dim, 4)
        self.weight = nn.Parameter(torch.randn(made.channels, made.channels))
        nn.init.zeros_(self.affine.weight)
        with torch.no_grad():
            self.affine.bias.copy_(torch.tensor([1.0, 0, 0, 0]))
        freqs = torch.randn(made.channels, 2)
        radii = freqs.square().sum(1, keepdim=True).sqrt()
        self.register_buffer("freqs", freqs / (radii * (radii.square() / 4).exp()) * made.cutoff)
        self.register_buffer("phases", torch.rand(made.channels) - 0.5)

    def forward(self, w):
        made = self.made
        t = self.affine(w)
        t = t / t[:, :2].norm(dim=1, keepdim=True)
        turn = torch.stack([t[:, 0], -t[:, 1], t[:, 1], t[:, 0]], 1).view(-1, 2, 2)
        shift = turn @ -t[:, 2:, None]
        phases = self.phases + (self.freqs @ shift).squeeze(2)
        freqs = self.freqs @ turn
        fades = (freqs.norm(dim=2) - made.cutoff) / (made.rate / 2 - made.cutoff)
        line = (torch.arange(made.size) + 0.5 - made.size / 2) / made.rate
        grid = torch.stack(torch.meshgrid(line, line, indexing="xy"), 2)
        x = grid.unsqueeze(0) @ freqs.transpose(1, 2).unsqueeze(1) + phases[:, None, None]
        x = torch.sin(x * (2 * math.pi)) * (1 - fades).clamp(0, 1)[:, None, None]
        return (x @ (self.weight / math.sqrt(made.channels)).t()).permute(0, 3, 1, 2)


class SynthesisLayer(nn.Module):
    def __init__(self, preset, geometry, modulate):
        super().__init__()
        self.geometry, self.modulate = geometry, modulate
        n_in, n_out = geometry.into.channels, geometry.out.channels
        self.affine = Dense(preset.z_dim, n_in, bias=1.0)
        self.weight = nn.Parameter(torch.randn(n_out, n_in, geometry.kernel, geometry.kernel))
        self.bias = nn.Parameter(torch.zeros(n_out))
        self.register_buffer("magnitude", torch.ones([]))

    def forward(self, x, w, update):
        if update:
            self.magnitude.copy_(x.detach().square().mean().lerp(self.magnitude, MAGNITUDE_BETA))
        return self.activated(self.convolved(x, self.affine(w), self.magnitude.rsqrt()))

    def convolved(self, x, styles, gain):
        if self.geometry.is_to_rgb:
            return self.modulate(x, self.weight, styles / math.sqrt(x.shape[1]), gain, demodulates=False)
        weight = self.weight * self.weight.square().mean([1, 2, 3], keepdim=True).rsqrt()
        return self.modulate(x, weight, styles * styles.square().mean().rsqrt(), gain, demodulates=True)

    def activated(self, x):
        geometry = self.geometry
        x = upfirdn(x + self.bias.view(1, -1, 1, 1), geometry.up_filter, up=geometry.up, pad=geometry.pad)
        if not geometry.is_to_rgb:
            x = functional.leaky_relu(x, 0.2) * math.sqrt(2)
        return upfirdn(x, geometry.down_filter, down=geometry.down)


class Generator(nn.Module):
    def __init__(self, preset, resolution, modulate):
        super().__init__()
        self.mapping = nn.Sequential(*[Dense(preset.z_dim, preset.z_dim, True, 0.01)
                                       for _ in range(preset.mapping_layers)])
        self.input = SynthesisInput(preset, signal(preset, resolution, 0))
        self.layers = nn.ModuleList(SynthesisLayer(preset, Geometry(preset, resolution, number), modulate)
                                    for number in range(LAYERS + 1))
        self.register_buffer("w_avg", torch.zeros(preset.z_dim))

    def forward(self, z, update=False):
        w = self.mapping(z * torch.rsqrt(z.square().mean(1, keepdim=True) + 1e-8))
        if update:
            self.w_avg.copy_(w.detach().mean(0).lerp(self.w_avg, W_BETA))
        x = self.input(w)
        for layer in self.layers:
            x = layer(x, w, update)
        return x * 0.25


class Training:
    def __init__(self, arguments):
        self.preset = Preset(arguments.width, arguments.width * 64, arguments.width, 2, G_RATE, R1_GAMMA)
        self.batch = arguments.batch
        modulate = scale_features if arguments.modulate == "features" else scale_weights
        self.g = Generator(self.preset, arguments.resolution, modulate)
        self.d = Discriminator(self.preset, arguments.resolution)
        self.average = copy.deepcopy(self.g).eval().requires_grad_(False)
        self.g_optimizer = torch.optim.Adam(self.g.parameters(), lr=G_RATE, betas=(0.0, 0.99))
        self.d_optimizer = adam(self.d, R1_INTERVAL, D_RATE)
        self.real = torch.rand(self.batch, 3, arguments.resolution, arguments.resolution) * 2 - 1

    def step(self, number):
        self.update(self.g, self.g_optimizer, self.g_main)
        self.update(self.d, self.d_optimizer, self.d_main)
        if number % R1_INTERVAL == 0:
            self.update(self.d, self.d_optimizer, self.r1)
        self.move_average()

    def update(self, network, optimizer, losses):
        for one in (self.g, self.d):
            one.requires_grad_(one is network)
        optimizer.zero_grad()
        losses()
        optimizer.step()

    def latents(self):
        return torch.randn(self.batch, self.preset.z_dim)

    def g_main(self):
        functional.softplus(-self.d(self.g(self.latents()))).mean().backward()

    def d_main(self):
        with torch.no_grad():
            fakes = self.g(self.latents(), update=True)
        functional.softplus(self.d(fakes)).mean().backward()
        functional.softplus(-self.d(self.real)).mean().backward()

    def r1(self):
        real = self.real.detach().requires_grad_(True)
        gradient, = torch.autograd.grad(self.d(real).sum(), real, create_graph=True)
        (gradient.square().sum([1, 2, 3]).mean() * (R1_GAMMA / 2 * R1_INTERVAL)).backward()

    @torch.no_grad()
    def move_average(self):
        for mean, value in zip(self.average.parameters(), self.g.parameters()):
            mean.lerp_(value, 0.001)
        for mean, value in zip(self.average.buffers(), self.g.buffers()):
            mean.copy_(value)


def main():
    parser = timing.timing_options(__doc__, batch=16, warm_up=2, steps=16)
    parser.add_argument("--width", type=int, default=128, help="most channels of a layer, and length of z and w")
    parser.add_argument("--resolution", type=int, default=32)
    parser.add_argument("--modulate", default="features", choices=["weights", "features"],
                        help="weights: as in the paper, a grouped convolution with a weight an image; features: one "
                             "weight for all images")
    arguments = parser.parse_args()
    training = Training(arguments)
    timing.print_times(arguments, training.step, networks={"generator": training.g, "discriminator": training.d})


if __name__ == "__main__":
    main()
