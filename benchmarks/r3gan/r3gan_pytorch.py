#!/usr/bin/env python3
"""A step of the R3GAN of 32x32 in eager PyTorch, written from Huang et al. 2024, arXiv:2501.05441.

Configuration E with labels: residual blocks around grouped convolutions, resampling by StyleGAN2's filter, the
relativistic loss, R1 and R2 in every step of D. Writes one JSON line for compare_steps.py.
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
from stylegan2_pytorch import upfirdn  # noqa: E402

LABELS = 10
Z_DIM = LABEL_DIM = 64
STAGES = 4  # 4x4 to 32x32
BLOCKS = 2  # of a stage
EXPANSION = 2
GROUP_CHANNELS = 16
GAMMA = 0.05
GAIN = math.sqrt(2 / 1.04) * (STAGES * BLOCKS) ** -0.25  # of a leaky ReLU, and Fixup's


def initialized(layer, gain=1.0):
    nn.init.normal_(layer.weight, std=gain / math.sqrt(layer.weight[0].numel()))
    return layer


def conv(n_in, n_out, kernel=1, groups=1, gain=1.0):
    return initialized(nn.Conv2d(n_in, n_out, kernel, padding=kernel // 2, groups=groups, bias=False), gain)


class Activation(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(channels))

    def forward(self, x):
        return functional.leaky_relu(x + self.bias.view(1, -1, 1, 1), 0.2, inplace=True)


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        inside = EXPANSION * width
        self.layers = nn.Sequential(
            conv(width, inside, gain=GAIN), Activation(inside),
            conv(inside, inside, kernel=3, groups=inside // GROUP_CHANNELS, gain=GAIN), Activation(inside),
            conv(inside, width, gain=0.0))  # it begins as the identity

    def forward(self, x):
        return x + self.layers(x)


def stage(width):
    return nn.Sequential(*[Block(width) for _ in range(BLOCKS)])


class Generator(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.embedding = nn.Embedding(LABELS, LABEL_DIM)
        self.basis = nn.Parameter(torch.ones(width, 4, 4))
        self.scales = initialized(nn.Linear(Z_DIM + LABEL_DIM, width, bias=False))
        self.stages = nn.ModuleList(stage(width) for _ in range(STAGES))
        self.to_rgb = conv(width, 3)
        nn.init.normal_(self.embedding.weight, std=1 / math.sqrt(LABELS))

    def forward(self, z, labels):
        scales = self.scales(torch.cat([z, self.embedding(labels)], 1))
        x = self.stages[0](self.basis * scales[:, :, None, None])
        for layers in self.stages[1:]:
            x = layers(upfirdn(x, up=2, pad=(2, 1), gain=4.0))
        return self.to_rgb(x)


class Discriminator(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.from_rgb = conv(3, width)
        self.stages = nn.ModuleList(stage(width) for _ in range(STAGES))
        self.basis = initialized(nn.Conv2d(width, width, 4, groups=width, bias=False))
        self.linear = initialized(nn.Linear(width, width, bias=False))
        self.embedding = nn.Embedding(LABELS, width)
        nn.init.normal_(self.embedding.weight, std=1 / math.sqrt(LABELS * width))

    def forward(self, images, labels):
        x = self.from_rgb(images)
        for layers in self.stages[:-1]:
            x = upfirdn(layers(x), down=2, pad=(1, 1))
        features = self.basis(self.stages[-1](x)).flatten(1)
        return (self.linear(features) * self.embedding(labels)).sum(1)


def penalty(images, logits):
    gradient, = torch.autograd.grad(logits.sum(), images, create_graph=True)
    return gradient.square().sum([1, 2, 3])


class Training:
    def __init__(self, batch, width):
        self.batch = batch
        self.g, self.d = Generator(width), Discriminator(width)
        self.average = copy.deepcopy(self.g).eval().requires_grad_(False)
        self.g_optimizer = torch.optim.Adam(self.g.parameters(), lr=2e-4, betas=(0.0, 0.9))
        self.d_optimizer = torch.optim.Adam(self.d.parameters(), lr=2e-4, betas=(0.0, 0.9))
        self.real = torch.rand(batch, 3, 32, 32) * 2 - 1
        self.labels = torch.arange(batch) % LABELS

    def step(self):
        self.train_discriminator()
        self.train_generator()
        self.move_average()

    def generate(self):
        return self.g(torch.randn(self.batch, Z_DIM), self.labels)

    def train_discriminator(self):
        self.d_optimizer.zero_grad()
        with torch.no_grad():
            fakes = self.generate()
        fakes.requires_grad_(True)
        reals = self.real.detach().requires_grad_(True)
        real, fake = self.d(reals, self.labels), self.d(fakes, self.labels)
        penalties = penalty(reals, real) + penalty(fakes, fake)
        (functional.softplus(fake - real) + GAMMA / 2 * penalties).mean().backward()
        self.d_optimizer.step()

    def train_generator(self):
        self.d.requires_grad_(False)
        self.g_optimizer.zero_grad()
        fake, real = self.d(self.generate(), self.labels), self.d(self.real, self.labels)
        functional.softplus(real - fake).mean().backward()
        self.g_optimizer.step()
        self.d.requires_grad_(True)

    @torch.no_grad()
    def move_average(self):
        for mean, value in zip(self.average.parameters(), self.g.parameters()):
            mean.lerp_(value, 0.5)


def main():
    parser = timing.timing_options(__doc__, batch=16, warm_up=2, steps=4)
    parser.add_argument("--width", type=int, default=192, help="channels of all stages")
    arguments = parser.parse_args()
    training = Training(arguments.batch, arguments.width)
    timing.print_times(arguments, lambda number: training.step(),
                       networks={"generator": training.g, "discriminator": training.d})


if __name__ == "__main__":
    main()
