#!/usr/bin/env python3
"""The steps of iteration.cpp with the public StyleGAN2-ADA for PyTorch, imported from a checkout of it.

    benchmarks/stylegan2/stylegan2_public.py --public FOLDER     # of https://github.com/NVlabs/stylegan2-ada-pytorch

Its networks and its loss, with the arguments of its train.py for configuration "stylegan2" without augmentation, at the
sizes and rates of our presets; what its training loop does around them is done here in the same order. Its own CUDA
operations are compiled where there is nvcc; if that fails, it warns, and its reference implementation runs: "extensions"
of the JSON line says which.

Precisions: fp32 and tf32 are its --fp32. In place of bf16 it has fp16, in the networks' four highest resolutions
(--fp16-resolutions), clamped to 256; all else is tf32 then, as for stylegan2_pytorch.py.

Its own derivatives of convolutions (conv2d_gradfix) are for PyTorch 1.7 to 1.9. On a later one it takes PyTorch's, and so
it does here; these, too, leave out gradients of weights that R1 and path lengths do not ask for.

Written for older packages, it is helped from outside: its files stay as they are.
"""
import contextlib
import copy
import importlib.util
import io
import json
import os
import sys
import types
from pathlib import Path

import torch
from torch.utils import cpp_extension

import stylegan2_pytorch
from stylegan2_pytorch import PRESETS, adam

MBSTD_GROUP = 4
EMA_IMAGES = 10000  # in which the moving average forgets a half
INTERVALS = {"Gmain": 1, "Greg": 4, "Dmain": 1, "Dreg": 16}


def make_importable(folder):
    """It imports distutils, too, which Python 3.12 does not have: setuptools does, which cpp_extension has imported."""
    if not importlib.util.find_spec("requests"):
        sys.modules["requests"] = types.ModuleType("requests")  # only for its downloads
    sys.path.insert(0, str(folder))


def enter_loaded_extensions():
    """Extensions built with pybind11 3 are not in sys.modules by themselves, where the public code looks for them."""
    load = cpp_extension.load

    def load_and_enter(name, **options):
        sys.modules[name] = load(name=name, **options)
        return sys.modules[name]
    cpp_extension.load = load_and_enter


def load_extensions(device):
    """Compiles the CUDA operations, or finds them compiled; returns whether they are used."""
    if device != "cuda":
        return False
    ops = [importlib.import_module(f"torch_utils.ops.{name}") for name in ("bias_act", "upfirdn2d")]
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])  # ninja
    enter_loaded_extensions()
    loaded = [op._init() for op in ops]
    for op, is_loaded in zip(ops, loaded):
        if not is_loaded:
            op._init = lambda: False  # upfirdn2d would try again at every call
    return all(loaded)


def make_networks(arguments):
    """Returns G and D."""
    from training.networks import Discriminator, Generator
    preset, fp16 = PRESETS[arguments.preset], arguments.precision == "bf16"
    sizes = {"channel_base": preset.channel_base, "channel_max": preset.channel_max,
             "num_fp16_res": arguments.fp16_resolutions if fp16 else 0, "conv_clamp": 256 if fp16 else None}
    images = {"c_dim": 0, "img_resolution": arguments.resolution, "img_channels": 3}
    generator = Generator(z_dim=preset.z_dim, w_dim=preset.z_dim, mapping_kwargs={"num_layers": preset.mapping_layers},
                          synthesis_kwargs=sizes, **images)
    discriminator = Discriminator(epilogue_kwargs={"mbstd_group_size": MBSTD_GROUP}, **sizes, **images)
    return [network.train().requires_grad_(False).to(arguments.device) for network in (generator, discriminator)]


class Training:
    def __init__(self, arguments):
        from training.loss import StyleGAN2Loss
        self.preset = preset = PRESETS[arguments.preset]
        self.batch, self.device = arguments.batch, torch.device(arguments.device)
        self.g, self.d = make_networks(arguments)
        self.average = copy.deepcopy(self.g).eval()
        self.loss = StyleGAN2Loss(self.device, self.g.mapping, self.g.synthesis, self.d, style_mixing_prob=0.9,
                                  r1_gamma=preset.r1_gamma, pl_weight=2, pl_batch_shrink=min(2, self.batch))
        self.optimizers = {"G": adam(self.g, INTERVALS["Greg"], preset.learning_rate),
                           "D": adam(self.d, INTERVALS["Dreg"], preset.learning_rate)}
        self.real = torch.rand(self.batch, 3, arguments.resolution, arguments.resolution, device=self.device) * 2 - 1
        self.labels = torch.zeros(self.batch, 0, device=self.device)
        self.phases = {name: (interval, lambda name=name: self.update(name)) for name, interval in INTERVALS.items()}

    def networks(self):
        return {"generator": self.g, "discriminator": self.d}

    def step(self, number):
        for interval, run in self.phases.values():
            if number % interval == 0:
                run()
        self.move_average()

    def update(self, phase):
        network, optimizer = {"G": self.g, "D": self.d}[phase[0]], self.optimizers[phase[0]]
        optimizer.zero_grad(set_to_none=True)
        network.requires_grad_(True)
        latents = torch.randn(self.batch, self.preset.z_dim, device=self.device)
        self.loss.accumulate_gradients(phase, self.real, self.labels, latents, self.labels, sync=True,
                                       gain=INTERVALS[phase])
        network.requires_grad_(False)
        for parameter in network.parameters():
            if parameter.grad is not None:
                torch.nan_to_num(parameter.grad, nan=0, posinf=1e5, neginf=-1e5, out=parameter.grad)
        optimizer.step()

    @torch.no_grad()
    def move_average(self):
        share = 0.5 ** (self.batch / EMA_IMAGES)
        for mean, value in zip(self.average.parameters(), self.g.parameters()):
            mean.copy_(value.lerp(mean, share))
        for mean, value in zip(self.average.buffers(), self.g.buffers()):
            mean.copy_(value)


def main():
    parser = stylegan2_pytorch.step_options(__doc__, bf16="bf16: stands for fp16 in the highest resolutions")
    parser.add_argument("--public", type=Path, metavar="FOLDER", required=True, help="a checkout of stylegan2-ada-pytorch")
    parser.add_argument("--fp16-resolutions", type=int, default=4, metavar="N", help="how many of them; default: 4")
    arguments = parser.parse_args()
    make_importable(arguments.public.resolve())
    with contextlib.redirect_stdout(io.StringIO()) as printed:  # the public code tells there what it compiles
        extensions = load_extensions(arguments.device)
    print(printed.getvalue(), end="", file=sys.stderr)
    with contextlib.redirect_stdout(io.StringIO()) as line:
        training = Training(arguments)
        stylegan2_pytorch.print_figures(arguments, training, training.networks())
    fp16_resolutions = arguments.fp16_resolutions if arguments.precision == "bf16" else 0
    print(json.dumps({**json.loads(line.getvalue()), "extensions": extensions, "fp16_resolutions": fp16_resolutions}))


if __name__ == "__main__":
    main()
