#!/usr/bin/env python3
"""The steps of iteration.cpp in eager PyTorch, written from Karras et al. 2020, arXiv:1912.04958.

Written as the public ports for PyTorch are: resampling as zero insertion and a depthwise convolution,
reals and fakes of D's step backpropagated one after the other, modulated convolutions in either of their
two forms. Writes one JSON line for compare_iterations.py, compare_on_gpu.py and profile_on_gpu.py.
"""
import copy
import math
import sys
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "timing"))
import timing  # noqa: E402


@dataclass(frozen=True)
class Preset:
    z_dim: int
    channel_base: int
    channel_max: int
    mapping_layers: int
    learning_rate: float
    r1_gamma: float

    def width(self, resolution):
        return min(self.channel_base // resolution, self.channel_max)


PRESETS = {"small": Preset(128, 2048, 128, 2, 0.0025, 0.05), "config-f": Preset(512, 32768, 512, 8, 0.002, 10)}
FILTER = torch.outer(torch.tensor([1.0, 3.0, 3.0, 1.0]), torch.tensor([1.0, 3.0, 3.0, 1.0])) / 64


SCALES_FEATURES = False


def insert_zeros(x, up, pad):
    """Returns images with up - 1 zeros after each pixel and a margin (before, after) of zeros; a negative one crops."""
    n, c, h, w = x.shape
    if up > 1:
        x = x.reshape(n, c, h, 1, w, 1)
        x = functional.pad(x, [0, up - 1, 0, 0, 0, up - 1]).reshape(n, c, h * up, w * up)
    return functional.pad(x, [pad[0], pad[1], pad[0], pad[1]])


def upfirdn(x, up=1, down=1, pad=(0, 0), gain=1.0):
    c = x.shape[1]
    kernel = (FILTER * gain).expand(c, 1, 4, 4)
    return functional.conv2d(insert_zeros(x, up, pad), kernel, groups=c, stride=down)


def act(x, bias, gain=math.sqrt(2)):
    return functional.leaky_relu(x + bias.to(x.dtype).view(1, -1, *[1] * (x.dim() - 2)), 0.2) * gain


class Dense(nn.Module):
    def __init__(self, n_in, n_out, activate=False, multiplier=1.0, bias=0.0):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(n_out, n_in) / multiplier)
        self.bias = nn.Parameter(torch.full([n_out], bias))
        self.activate, self.multiplier = activate, multiplier
        self.gain = multiplier / math.sqrt(n_in)

    def forward(self, x):
        if self.activate:
            return act(functional.linear(x, self.weight * self.gain), self.bias * self.multiplier)
        return functional.linear(x, self.weight * self.gain, self.bias * self.multiplier)


class Modulated(nn.Module):
    """A 3x3 layer, or the 1x1 layer to RGB, the only one that is not demodulated."""

    def __init__(self, preset, n_in, n_out, kernel, up=False):
        super().__init__()
        self.affine = Dense(preset.z_dim, n_in, bias=1.0)
        self.weight = nn.Parameter(torch.randn(n_out, n_in, kernel, kernel))
        self.up, self.demodulate = up, kernel > 1

    def forward(self, x, w):
        return self.scale_features(x, w) if SCALES_FEATURES else self.scale_weights(x, w)

    def scale_features(self, x, w):
        """One weight for all images: features are scaled before and after."""
        n, c, h, width_ = x.shape
        style = self.affine(w)
        if not self.demodulate:
            style = style / math.sqrt(c)
        x = x * style.view(n, c, 1, 1)
        if not self.up:
            y = functional.conv2d(x, self.weight, padding=self.weight.shape[2] // 2)
        else:
            y = functional.conv_transpose2d(x, self.weight.transpose(0, 1), stride=2)
            y = upfirdn(y, pad=(1, 1), gain=4.0)
        if self.demodulate:
            power = style.square() @ self.weight.square().sum([2, 3]).t()
            y = y * torch.rsqrt(power + 1e-8).to(y.dtype).view(n, -1, 1, 1)
        return y

    def scale_weights(self, x, w):
        """A weight for each image, in one grouped convolution."""
        n, c, h, width_ = x.shape
        style = self.affine(w)
        weight = self.weight.unsqueeze(0) * style.view(n, 1, c, 1, 1)
        if self.demodulate:
            weight = weight * torch.rsqrt(weight.square().sum([2, 3, 4], keepdim=True) + 1e-8)
        else:
            weight = weight / math.sqrt(c)
        n_out, kernel = weight.shape[1], weight.shape[3]
        x = x.reshape(1, n * c, h, width_)
        if not self.up:
            y = functional.conv2d(x, weight.reshape(n * n_out, c, kernel, kernel),
                                  padding=kernel // 2, groups=n)
            return y.view(n, n_out, h, width_)
        weight = weight.transpose(1, 2).reshape(n * c, n_out, kernel, kernel)
        y = functional.conv_transpose2d(x, weight, stride=2, groups=n)
        y = y.view(n, n_out, h * 2 + 1, width_ * 2 + 1)
        return upfirdn(y, pad=(1, 1), gain=4.0)


class Layer(nn.Module):
    def __init__(self, preset, n_in, n_out, up):
        super().__init__()
        self.conv = Modulated(preset, n_in, n_out, 3, up)
        self.strength = nn.Parameter(torch.zeros([]))
        self.bias = nn.Parameter(torch.zeros(n_out))

    def forward(self, x, w):
        x = self.conv(x, w)
        noise = torch.randn(x.shape[0], 1, x.shape[2], x.shape[3], device=x.device, dtype=x.dtype)
        return act(x + noise * self.strength, self.bias)


class Generator(nn.Module):
    def __init__(self, preset, resolution):
        super().__init__()
        width = preset.width
        self.mapping = nn.Sequential(*[Dense(preset.z_dim, preset.z_dim, True, 0.01)
                                       for _ in range(preset.mapping_layers)])
        self.const = nn.Parameter(torch.randn(width(4), 4, 4))
        self.layers, self.to_rgb = nn.ModuleList(), nn.ModuleList()
        self.to_rgb_bias = nn.ParameterList()
        size = 4
        while size <= resolution:
            if size > 4:
                self.layers.append(Layer(preset, width(size // 2), width(size), True))
            self.layers.append(Layer(preset, width(size), width(size), False))
            self.to_rgb.append(Modulated(preset, width(size), 3, 1))
            self.to_rgb_bias.append(nn.Parameter(torch.zeros(3)))
            size *= 2
        self.count = len(self.layers) + 1
        self.register_buffer("w_avg", torch.zeros(preset.z_dim))

    def map(self, z):
        w = self.mapping(z * torch.rsqrt(z.square().mean(1, keepdim=True) + 1e-8))
        self.w_avg.copy_(w.detach().float().mean(0).lerp(self.w_avg, 0.995))
        w = w.unsqueeze(1).repeat(1, self.count, 1)
        if torch.rand([]) < 0.9:
            other = torch.randn_like(z)
            cut = int(torch.randint(1, self.count, []))
            other = self.mapping(other * torch.rsqrt(other.square().mean(1, keepdim=True) + 1e-8))
            w = torch.cat([w[:, :cut], other.unsqueeze(1).repeat(1, self.count - cut, 1)], 1)
        return w

    def synthesize(self, w):
        x = self.const.unsqueeze(0).repeat(w.shape[0], 1, 1, 1)
        image, place = None, 0
        for i, to_rgb in enumerate(self.to_rgb):
            for layer in self.layers[max(0, 2 * i - 1):2 * i + 1]:
                x = layer(x, w[:, place])
                place += 1
            y = to_rgb(x, w[:, place]) + self.to_rgb_bias[i].view(1, 3, 1, 1)
            image = y if image is None else y + upfirdn(image, up=2, pad=(2, 1), gain=4.0)
        return image


class Conv(nn.Module):
    def __init__(self, n_in, n_out, kernel, down=False, activate=True):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(n_out, n_in, kernel, kernel))
        self.bias = nn.Parameter(torch.zeros(n_out)) if activate else None
        self.gain = 1 / math.sqrt(n_in * kernel * kernel)
        self.down, self.kernel = down, kernel

    def forward(self, x):
        if self.down:
            x = upfirdn(x, pad=(2, 2) if self.kernel == 3 else (1, 1),
                        down=1 if self.kernel == 3 else 2)
        stride, padding = (2, 0) if self.down and self.kernel == 3 else (1, 0 if self.down else self.kernel // 2)
        x = functional.conv2d(x, self.weight * self.gain, stride=stride, padding=padding)
        return x if self.bias is None else act(x, self.bias)


class Block(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.conv0, self.conv1 = Conv(n_in, n_in, 3), Conv(n_in, n_out, 3, down=True)
        self.skip = Conv(n_in, n_out, 1, down=True, activate=False)

    def forward(self, x):
        return (self.skip(x) + self.conv1(self.conv0(x))) * math.sqrt(0.5)


class Discriminator(nn.Module):
    def __init__(self, preset, resolution):
        super().__init__()
        width = preset.width
        layers = [Conv(3, width(resolution), 1)]
        size = resolution
        while size > 4:
            layers.append(Block(width(size), width(size // 2)))
            size //= 2
        self.blocks = nn.Sequential(*layers)
        self.conv = Conv(width(4) + 1, width(4), 3)
        self.fc, self.out = Dense(width(4) * 16, width(4), True), Dense(width(4), 1)

    def forward(self, images):
        x = self.blocks(images)
        n, c, h, w = x.shape
        group = min(4, n)
        y = x.reshape(group, -1, c, h, w)
        y = ((y - y.mean(0)).square().mean(0) + 1e-8).sqrt().mean([1, 2, 3])
        y = y.view(-1, 1, 1, 1).repeat(group, 1, h, w)
        return self.out(self.fc(self.conv(torch.cat([x, y], 1)).flatten(1))).squeeze(1)


def adam(module, interval, learning_rate):
    c = interval / (interval + 1)
    return torch.optim.Adam(module.parameters(), lr=learning_rate * c, betas=(0.0, 0.99**c))


class Training:
    """For compiled networks only the main phases: torch.compile does not support second derivatives."""

    def __init__(self, arguments):
        self.preset = preset = PRESETS[arguments.preset]
        self.batch, self.device = arguments.batch, arguments.device
        self.bf16 = arguments.precision == "bf16"
        resolution, device = arguments.resolution, arguments.device
        layout = torch.channels_last if self.bf16 else torch.contiguous_format
        self.g = Generator(preset, resolution).to(device, memory_format=layout)
        self.d = Discriminator(preset, resolution).to(device, memory_format=layout)
        self.synthesize, self.discriminate = self.g.synthesize, self.d
        if arguments.compile:
            self.synthesize, self.discriminate = torch.compile(self.synthesize), torch.compile(self.discriminate)
        self.average = copy.deepcopy(self.g).eval().requires_grad_(False)
        self.g_optimizer = adam(self.g, 4, preset.learning_rate)
        self.d_optimizer = adam(self.d, 16, preset.learning_rate)
        self.path_mean = torch.zeros([], device=device)
        self.real = torch.rand(self.batch, 3, resolution, resolution, device=device).to(memory_format=layout) * 2 - 1

        self.phases = {"Gmain": (1, lambda: self.update(self.g, self.g_optimizer, self.g_main)),
                       "Greg": (4, lambda: self.update(self.g, self.g_optimizer, self.path_length)),
                       "Dmain": (1, lambda: self.update(self.d, self.d_optimizer, self.d_main)),
                       "Dreg": (16, lambda: self.update(self.d, self.d_optimizer, self.r1))}

    def step(self, number):
        for interval, run in self.phases.values():
            if number % interval == 0:
                run()
        self.move_average()

    def update(self, network, optimizer, losses):
        for one in (self.g, self.d):
            one.requires_grad_(one is network)
        optimizer.zero_grad(set_to_none=True)
        losses()
        optimizer.step()

    @torch.no_grad()
    def move_average(self):
        for mean, value in zip(self.average.parameters(), self.g.parameters()):
            mean.copy_(value.lerp(mean, 0.998))

    def autocast(self):
        return torch.autocast(self.device, torch.bfloat16, enabled=self.bf16)

    def latents(self, count):
        return torch.randn(count, self.preset.z_dim, device=self.device)

    def generate(self):
        return self.synthesize(self.g.map(self.latents(self.batch)))

    def g_main(self):
        with self.autocast():
            loss = functional.softplus(-self.discriminate(self.generate())).mean()
        loss.backward()

    def d_main(self):
        with torch.no_grad(), self.autocast():
            fakes = self.generate()
        for sign, images in ((1, fakes), (-1, self.real)):
            with self.autocast():
                loss = functional.softplus(sign * self.discriminate(images)).mean()
            loss.backward()

    def r1(self):
        real = self.real.detach().requires_grad_(True)
        with self.autocast():
            logits = self.d(real)
        gradient, = torch.autograd.grad(logits.sum(), real, create_graph=True)
        (gradient.square().sum([1, 2, 3]).mean() * (self.preset.r1_gamma / 2) * 16).backward()

    def path_length(self):
        with self.autocast():
            w = self.g.map(self.latents(max(1, self.batch // 2)))
            images = self.g.synthesize(w)
        noise = torch.randn_like(images) / math.sqrt(images.shape[2] * images.shape[3])
        gradient, = torch.autograd.grad((images * noise).sum(), w, create_graph=True)
        lengths = gradient.float().square().sum(2).mean(1).sqrt()
        mean = self.path_mean.lerp(lengths.mean(), 0.01)
        self.path_mean.copy_(mean.detach())
        ((lengths - mean).square().mean() * 2 * 4).backward()


def step_options(description, bf16):
    """Shared with stylegan2_public.py. bf16: what it means there."""
    parser = timing.timing_options(description, batch=16, warm_up=4, steps=16)
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--preset", default="small", choices=PRESETS)
    parser.add_argument("--resolution", type=int, default=64)
    parser.add_argument("--precision", default="fp32", choices=["fp32", "tf32", "bf16"], help=bf16)
    parser.add_argument("--profile", type=Path, metavar="FOLDER", help="times and traces each phase alone")
    return parser


def print_figures(arguments, training, networks=None):
    """Runs what is to be timed; training has phases, step() and move_average()."""
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = arguments.precision != "fp32"
    torch.backends.cudnn.benchmark = True
    gpu = torch.cuda if arguments.device == "cuda" else None
    if arguments.profile:
        timing.print_profile(arguments, training.phases, training.move_average, gpu)
    else:
        timing.print_times(arguments, training.step, gpu, networks)


def main():
    parser = step_options(__doc__, bf16="bf16: by autocast, with channels last")
    timing.add_compile_option(parser)
    parser.add_argument("--modulate", default="weights", choices=["weights", "features"],
                        help="weights: as in the paper, a grouped convolution with a weight an image; features: one "
                             "weight for all images")
    arguments = parser.parse_args()
    global FILTER, SCALES_FEATURES
    SCALES_FEATURES = arguments.modulate == "features"
    FILTER = FILTER.to(arguments.device)
    training = Training(arguments)
    print_figures(arguments, training, {"generator": training.g, "discriminator": training.d})


if __name__ == "__main__":
    main()
