#!/usr/bin/env python3
"""Turns a network file of stylegan2-ada-pytorch into the file that `ganscale import` reads.

  scripts/convert-stylegan2.py ffhq.pkl ffhq.safetensors

Needs torch and safetensors, not the code that wrote the file: it is a pickle, and nothing that it names is
run but what rebuilds tensors. Legacy files of TensorFlow are refused.
"""
import collections
import io
import pickle
import sys

import torch
from safetensors.torch import save_file

TENSOR_BUILDERS = {
    ("torch._utils", "_rebuild_tensor_v2"): torch._utils._rebuild_tensor_v2,
    ("torch._utils", "_rebuild_parameter"): torch._utils._rebuild_parameter,
    ("torch.storage", "_load_from_bytes"):
        lambda data: torch.load(io.BytesIO(data), map_location="cpu", weights_only=True),
    ("torch", "float16"): torch.float16, ("torch", "float32"): torch.float32,
    ("collections", "OrderedDict"): collections.OrderedDict,
    ("builtins", "set"): set,
}


class Opaque(dict):
    """What stands for an object of any class: its state as a map."""

    def __init__(self, *arguments, **state):
        super().__init__(**state)

    def __setstate__(self, state):
        self.update(state if isinstance(state, dict) else {"state": state})


def rebuild_network(meta):
    """Keeps the class's name and state of a network; its source code, which lies beside them, is not run."""
    return Opaque(class_name=meta["class_name"], **meta["state"])


class Unpickler(pickle.Unpickler):
    def find_class(self, module, name):
        if (module, name) in TENSOR_BUILDERS:
            return TENSOR_BUILDERS[(module, name)]
        if name == "_reconstruct_persistent_obj":
            return rebuild_network
        return Opaque


def tensors_of(module, prefix=""):
    """Yields parameters and buffers by their dotted names."""
    for kind in ("_parameters", "_buffers"):
        for name, tensor in module.get(kind, {}).items():
            if tensor is not None:
                yield prefix + name, tensor.detach().float().contiguous().clone()
    for name, child in module.get("_modules", {}).items():
        yield from tensors_of(child, f"{prefix}{name}.")


def options_of(networks):
    """Returns what the tensors' shapes do not tell, as `ganscale import` asks for it."""
    generator, discriminator = networks["G_ema"], networks["D"]
    arguments = generator["_init_kwargs"]
    synthesis = arguments.get("synthesis_kwargs", {})
    kwargs = discriminator["_init_kwargs"]
    epilogue = kwargs.get("epilogue_kwargs", {})
    return {
        "resolution": generator["img_resolution"], "channels": generator["img_channels"],
        "z_dim": generator["z_dim"], "w_dim": generator["w_dim"], "label_count": generator["c_dim"],
        "mapping_layers": arguments.get("mapping_kwargs", {}).get("num_layers", 8),
        "channel_base": synthesis.get("channel_base", 32768), "channel_max": synthesis.get("channel_max", 512),
        "discriminator": kwargs.get("architecture", "resnet"),
        "mbstd_group": epilogue.get("mbstd_group_size", 4) or 0,
        "mbstd_features": epilogue.get("mbstd_num_channels", 1),
    }


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 64
    source, target = sys.argv[1:]
    with open(source, "rb") as file:
        networks = Unpickler(file).load()
    names = ("G", "D", "G_ema")
    if not isinstance(networks, dict) or not all(name in networks for name in names):
        print(f"not a network file of stylegan2-ada-pytorch, it has no G, D and G_ema: {source}", file=sys.stderr)
        return 65
    tensors = {}
    for name in names:
        tensors.update(tensors_of(networks[name], f"{name}."))
    options = {key: str(value) for key, value in options_of(networks).items()}
    save_file(tensors, target, metadata={"kind": "stylegan2_weights", **options})
    print(f"{target}: {len(tensors)} tensors, {options}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
