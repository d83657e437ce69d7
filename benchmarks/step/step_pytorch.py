#!/usr/bin/env python3
"""A step of the DC-GAN of 64x64 in eager PyTorch, as PyTorch users write it.

Layers from the table of "Distributed DC-CGAN" (see worker/models/dcgan/networks.h). Writes one JSON line for compare.py.
"""
import sys
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "timing"))
import timing  # noqa: E402

HALF_LIFE = 10_000  # images of the generator's average


class Generator(nn.Module):
    def __init__(self, resolution=64, channels=3):
        super().__init__()
        self.first_size = resolution // 4
        self.l1 = nn.Sequential(nn.Linear(100, 128 * self.first_size**2), nn.ReLU(inplace=True))
        self.conv_blocks = nn.Sequential(
            nn.BatchNorm2d(128),
            nn.Upsample(scale_factor=2),
            nn.Conv2d(128, 128, 3, padding=1),
            nn.BatchNorm2d(128, 0.8),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Upsample(scale_factor=2),
            nn.Conv2d(128, 64, 3, padding=1),
            nn.BatchNorm2d(64, 0.8),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(64, channels, 3, padding=1),
            nn.Tanh(),
        )

    def forward(self, z):
        x = self.l1(z).view(-1, 128, self.first_size, self.first_size)
        return self.conv_blocks(x)


class Discriminator(nn.Module):
    def __init__(self, channels=3):
        super().__init__()
        layers = []
        widths = [channels, 16, 32, 64, 128]
        for i, (width_in, width_out) in enumerate(zip(widths, widths[1:])):
            layers.append(nn.Conv2d(width_in, width_out, 3, stride=2, padding=1))
            layers += [nn.LeakyReLU(0.2, inplace=True), nn.Dropout(0.25)]
            if i > 0:
                layers.append(nn.BatchNorm2d(width_out, 0.8))
        self.model = nn.Sequential(*layers)
        self.adv_layer = nn.Sequential(nn.Linear(128 * 4 * 4, 1))

    def forward(self, images):
        return self.adv_layer(self.model(images).flatten(1)).squeeze(1)


def initialize(module):
    if isinstance(module, (nn.Conv2d, nn.Linear)):
        nn.init.normal_(module.weight, 0, 0.02)
    elif isinstance(module, nn.BatchNorm2d):
        nn.init.normal_(module.weight, 1, 0.02)


class Training:
    def __init__(self, batch):
        self.batch = batch
        self.generator = Generator().apply(initialize)
        self.discriminator = Discriminator().apply(initialize)
        self.average = AveragedModel(self.generator, multi_avg_fn=get_ema_multi_avg_fn(0.5 ** (batch / HALF_LIFE)))
        self.generator_optimizer = torch.optim.Adam(
            self.generator.parameters(), lr=2e-4, betas=(0.5, 0.999))
        self.discriminator_optimizer = torch.optim.Adam(
            self.discriminator.parameters(), lr=2e-4, betas=(0.5, 0.999))
        self.real = torch.rand(batch, 3, 64, 64) * 2 - 1

    def step(self):
        self.train_discriminator()
        self.train_generator()
        self.average.update_parameters(self.generator)

    def train_discriminator(self):
        with torch.no_grad():
            fakes = self.generator(torch.randn(self.batch, 100))
        loss = functional.softplus(-self.discriminator(self.real)).mean() + \
            functional.softplus(self.discriminator(fakes)).mean()
        self.discriminator_optimizer.zero_grad()
        loss.backward()
        self.discriminator_optimizer.step()

    def train_generator(self):
        self.discriminator.requires_grad_(False)
        fakes = self.generator(torch.randn(self.batch, 100))
        loss = functional.softplus(-self.discriminator(fakes)).mean()
        self.generator_optimizer.zero_grad()
        loss.backward()
        self.generator_optimizer.step()
        self.discriminator.requires_grad_(True)


def main():
    parser = timing.timing_options(__doc__, batch=64, warm_up=2, steps=4)
    timing.add_compile_option(parser)
    arguments = parser.parse_args()
    training = Training(arguments.batch)
    if arguments.compile:
        training.generator.compile()
        training.discriminator.compile()
    timing.print_times(arguments, lambda number: training.step(),
                       networks={"generator": training.generator, "discriminator": training.discriminator})


if __name__ == "__main__":
    main()
