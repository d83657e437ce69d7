#!/usr/bin/env python3
"""A step of the BigGAN of 32x32 in eager PyTorch, as PyTorch users write it.

Brock et al. 2018, arXiv:1809.11096, Appendix B, with the widths and the attention of its public implementation (see
worker/models/biggan/config.h), spectral normalization by torch.nn.utils.parametrizations, fakes and reals joined through
D. Writes one JSON line for compare_steps.py.
"""
import copy
import sys
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional
from torch.nn.utils.parametrizations import spectral_norm

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "timing"))
import timing  # noqa: E402

LABELS = 10
SHARED = 128  # numbers of the label embedding that G's batch norms share
CHUNK = 20  # numbers of z for the first layer and for each of the three blocks
CHUNKS = 4
EPSILON = 1e-6


def normalized(layer):
    nn.init.orthogonal_(layer.weight)
    return spectral_norm(layer, eps=EPSILON)


def conv(n_in, n_out, kernel, bias=True):
    return normalized(nn.Conv2d(n_in, n_out, kernel, padding=kernel // 2, bias=bias))


class ConditionalNorm(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.BatchNorm2d(channels, affine=False)
        self.gain = normalized(nn.Linear(SHARED + CHUNK, channels, bias=False))
        self.bias = normalized(nn.Linear(SHARED + CHUNK, channels, bias=False))

    def forward(self, x, condition):
        gain = 1 + self.gain(condition)
        return self.norm(x) * gain[:, :, None, None] + self.bias(condition)[:, :, None, None]


class Attention(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.theta = conv(channels, channels // 8, 1, bias=False)
        self.phi = conv(channels, channels // 8, 1, bias=False)
        self.g = conv(channels, channels // 2, 1, bias=False)
        self.o = conv(channels // 2, channels, 1, bias=False)
        self.gamma = nn.Parameter(torch.zeros([]))

    def forward(self, x):
        n, c, h, w = x.shape
        theta = self.theta(x).view(n, c // 8, h * w)
        phi = functional.max_pool2d(self.phi(x), 2).view(n, c // 8, h * w // 4)
        g = functional.max_pool2d(self.g(x), 2).view(n, c // 2, h * w // 4)
        beta = functional.softmax(torch.bmm(theta.transpose(1, 2), phi), -1)
        o = self.o(torch.bmm(g, beta.transpose(1, 2)).view(n, c // 2, h, w))
        return self.gamma * o + x


class UpBlock(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.norm1, self.norm2 = ConditionalNorm(n_in), ConditionalNorm(n_out)
        self.conv1, self.conv2 = conv(n_in, n_out, 3), conv(n_out, n_out, 3)
        self.shortcut = conv(n_in, n_out, 1)

    def forward(self, x, condition):
        h = functional.relu(self.norm1(x, condition), inplace=True)
        h = self.conv1(functional.interpolate(h, scale_factor=2))
        h = self.conv2(functional.relu(self.norm2(h, condition), inplace=True))
        return h + self.shortcut(functional.interpolate(x, scale_factor=2))


class DownBlock(nn.Module):
    def __init__(self, n_in, n_out, halves, is_first=False):
        super().__init__()
        self.conv1, self.conv2 = conv(n_in, n_out, 3), conv(n_out, n_out, 3)
        self.shortcut = conv(n_in, n_out, 1) if halves or n_in != n_out else None
        self.halves, self.is_first = halves, is_first

    def forward(self, x):
        h = self.conv1(x if self.is_first else functional.relu(x))
        h = self.conv2(functional.relu(h, inplace=True))
        if self.halves:
            h = functional.avg_pool2d(h, 2)
        return h + self.skip(x)

    def skip(self, x):
        if self.is_first:  # whose input is narrower than its output: halved first
            return self.shortcut(functional.avg_pool2d(x, 2))
        x = self.shortcut(x) if self.shortcut else x
        return functional.avg_pool2d(x, 2) if self.halves else x


class Generator(nn.Module):
    def __init__(self, ch):
        super().__init__()
        width = 4 * ch
        self.shared = nn.Embedding(LABELS, SHARED)
        self.linear = normalized(nn.Linear(CHUNK, width * 4 * 4))
        self.blocks = nn.ModuleList(UpBlock(width, width) for _ in range(CHUNKS - 1))
        self.attention = Attention(width)
        self.output = nn.Sequential(nn.BatchNorm2d(width), nn.ReLU(inplace=True), conv(width, 3, 3), nn.Tanh())

    def forward(self, z, labels):
        label = self.shared(labels)
        first, *parts = z.split(CHUNK, 1)
        x = self.linear(first).view(z.shape[0], -1, 4, 4)
        for block, part in zip(self.blocks, parts):
            x = block(x, torch.cat([label, part], 1))
            if x.shape[2] == 16:
                x = self.attention(x)
        return self.output(x)


class Discriminator(nn.Module):
    def __init__(self, ch):
        super().__init__()
        width = 4 * ch
        blocks = [DownBlock(3, width, halves=True, is_first=True), DownBlock(width, width, halves=True),
                  DownBlock(width, width, halves=False), DownBlock(width, width, halves=False)]
        self.layers = nn.Sequential(*[layer for block in blocks for layer in (block, Attention(width))])
        self.linear = normalized(nn.Linear(width, 1))
        self.embed = normalized(nn.Embedding(LABELS, width))

    def forward(self, images, labels):
        features = functional.relu(self.layers(images)).sum([2, 3])
        return self.linear(features).squeeze(1) + (self.embed(labels) * features).sum(1)


class Training:
    def __init__(self, batch, ch):
        self.batch = batch
        self.g, self.d = Generator(ch), Discriminator(ch)
        self.average = copy.deepcopy(self.g).eval().requires_grad_(False)
        self.g_optimizer = torch.optim.Adam(self.g.parameters(), lr=1e-4, betas=(0.0, 0.999), eps=1e-6)
        self.d_optimizer = torch.optim.Adam(self.d.parameters(), lr=4e-4, betas=(0.0, 0.999), eps=1e-6)
        self.real = torch.rand(batch, 3, 32, 32) * 2 - 1
        self.labels = torch.arange(batch) % LABELS

    def step(self):
        self.train_discriminator()
        self.train_generator()
        self.move_average()

    def generate(self):
        return self.g(torch.randn(self.batch, CHUNKS * CHUNK), self.labels)

    def train_discriminator(self):
        self.d_optimizer.zero_grad()
        with torch.no_grad():
            fakes = self.generate()
        logits = self.d(torch.cat([fakes, self.real]), torch.cat([self.labels, self.labels]))
        fake, real = logits.chunk(2)
        (functional.relu(1 + fake).mean() + functional.relu(1 - real).mean()).backward()
        self.d_optimizer.step()

    def train_generator(self):
        self.d.requires_grad_(False)
        self.g_optimizer.zero_grad()
        (-self.d(self.generate(), self.labels).mean()).backward()
        self.g_optimizer.step()
        self.d.requires_grad_(True)

    @torch.no_grad()
    def move_average(self):
        for mean, value in zip(self.average.parameters(), self.g.parameters()):
            mean.lerp_(value, 1e-4)
        for mean, value in zip(self.average.buffers(), self.g.buffers()):
            mean.copy_(value)


def main():
    parser = timing.timing_options(__doc__, batch=16, warm_up=2, steps=4)
    parser.add_argument("--channels", type=int, default=64, help="the paper's ch")
    timing.add_compile_option(parser)
    arguments = parser.parse_args()
    training = Training(arguments.batch, arguments.channels)
    if arguments.compile:
        training.g.compile()
        training.d.compile()
    timing.print_times(arguments, lambda number: training.step(),
                       networks={"generator": training.g, "discriminator": training.d})


if __name__ == "__main__":
    main()
