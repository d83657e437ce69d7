#!/usr/bin/env python3
"""Turns a network file of stylegan2-ada-pytorch, stylegan3 or R3GAN into the file that `ganscale import` reads.

  scripts/convert-weights.py ffhq.pkl ffhq.safetensors

Needs torch and safetensors, not the code that wrote the file: it is a pickle, and nothing that it names is
run but what rebuilds tensors. Legacy files of TensorFlow are refused.
"""
import collections
import io
import pickle
import sys

try:
    import torch
    from safetensors.torch import save_file
except ImportError as missing:
    sys.exit(f"convert-weights.py: {missing}; pip install torch safetensors")

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
    """Keeps the class's name and state of a network; its source code, which is stored with them, is not run."""
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


def shared_options(generator):
    """Returns what both generations of StyleGAN are asked for."""
    arguments = generator["_init_kwargs"]
    return {"resolution": generator["img_resolution"], "channels": generator["img_channels"],
            "z_dim": generator["z_dim"], "w_dim": generator["w_dim"], "label_count": generator["c_dim"],
            "mapping_layers": arguments.get("mapping_kwargs", {}).get("num_layers")}


def discriminator_options(discriminator):
    epilogue = discriminator["_init_kwargs"].get("epilogue_kwargs", {})
    return {"mbstd_group": epilogue.get("mbstd_group_size", 4) or 0,
            "mbstd_features": epilogue.get("mbstd_num_channels", 1)}


def precision_options(generator):
    """Reads from the layers what StyleGAN2's arguments leave to defaults, which differ between its two implementations."""
    blocks = generator["_modules"]["synthesis"]["_modules"]
    halves = sum(bool(block.get("use_fp16")) for block in blocks.values())
    return {"precision": "fp16" if halves else "fp32", "low_precision_resolutions": halves,
            "conv_clamp": blocks["b4"]["_modules"]["conv1"].get("conv_clamp") or 0}


def stylegan2_options(networks, tensors):
    generator, discriminator = networks["G_ema"], networks["D"]
    arguments = generator["_init_kwargs"]
    synthesis = arguments.get("synthesis_kwargs", arguments)
    options = {**shared_options(generator), **discriminator_options(discriminator), **precision_options(generator)}
    return {**options, "mapping_layers": options["mapping_layers"] or 8,
            "channel_base": synthesis.get("channel_base", 32768), "channel_max": synthesis.get("channel_max", 512),
            "discriminator": discriminator["_init_kwargs"].get("architecture", "resnet")}


def stylegan3_options(networks, tensors):
    generator, discriminator = networks["G_ema"], networks["D"]
    options = {**shared_options(generator), **discriminator_options(discriminator)}
    given = generator["_init_kwargs"]
    defaults = {  # ours, theirs and its default
        "kernel": ("conv_kernel", 3), "radial_filters": ("use_radial_filters", False), "filter_taps": ("filter_size", 6),
        "activation_rate": ("lrelu_upsampling", 2), "layers": ("num_layers", 14), "critical_layers": ("num_critical", 2),
        "first_cutoff": ("first_cutoff", 2), "first_stopband": ("first_stopband", 2**2.1),
        "last_stopband": ("last_stopband_rel", 2**0.3), "margin": ("margin_size", 10),
        "output_scale": ("output_scale", 0.25), "magnitude_beta": ("magnitude_ema_beta", 0.999),
        "generator_channel_base": ("channel_base", 32768), "generator_channel_max": ("channel_max", 512)}
    options.update({ours: given.get(theirs, default) for ours, (theirs, default) in defaults.items()})
    arguments = discriminator["_init_kwargs"]
    return {**options, "mapping_layers": options["mapping_layers"] or 2,
            "radial_filters": str(bool(options["radial_filters"])).lower(),
            "conv_clamp": given.get("conv_clamp", 256) or 0,
            "channel_base": arguments.get("channel_base", 32768), "channel_max": arguments.get("channel_max", 512)}


def r3gan_blocks(tensors, prefix):
    """Of each stage its blocks: channels, expanded channels, groups."""
    blocks = collections.defaultdict(list)
    for name, tensor in tensors.items():
        if name.startswith(prefix) and name.endswith(".LinearLayer2.Layer.weight"):
            stage = int(name.removeprefix(prefix).split(".")[1])
            width = tensors[name.replace("LinearLayer2", "LinearLayer3")].shape[0]
            blocks[stage].append((width, tensor.shape[0], tensor.shape[0] // tensor.shape[1]))
    return blocks


def r3gan_options(networks, tensors):
    """The shapes of the tensors determine everything."""
    prefix = "G_ema.Model."
    blocks = r3gan_blocks(tensors, prefix)
    stages = [blocks[stage][0] for stage in sorted(blocks)]
    embedding = tensors.get(prefix + "EmbeddingLayer.weight")
    compared = tensors.get("D.Model.EmbeddingLayer.weight")
    labels = embedding.shape if embedding is not None else (0, 0)
    return {
        "resolution": 4 << (len(stages) - 1), "channels": tensors[prefix + "AggregationLayer.Layer.weight"].shape[0],
        "z_dim": tensors[prefix + "MainLayers.0.Layers.0.LinearLayer.weight"].shape[1] - labels[0],
        "label_count": labels[1], "label_dim": labels[0] or 64,
        "score_label_dim": compared.shape[0] if compared is not None else stages[0][0],
        "widths": [width for width, _, _ in stages], "cardinality": [groups for _, _, groups in stages],
        "blocks": [len(blocks[stage]) for stage in sorted(blocks)], "expansion": stages[0][1] // stages[0][0]}


# A tensor that only one family has, the kind of the file, and what `ganscale import` asks for.
FAMILIES = [("G_ema.synthesis.b4.const", "stylegan2_weights", stylegan2_options),
            ("G_ema.synthesis.input.freqs", "stylegan3_weights", stylegan3_options),
            ("G_ema.Model.AggregationLayer.Layer.weight", "r3gan_weights", r3gan_options)]


def read(source):
    """Returns what a network file holds. Exits with 65 if it can't be read."""
    try:
        with open(source, "rb") as file:
            return Unpickler(file).load()
    except Exception as error:  # a pickle that is damaged, or of something else, may raise any
        print(f"cannot be read ({type(error).__name__}: {error}): {source}", file=sys.stderr)
        sys.exit(65)


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 64
    source, target = sys.argv[1:]
    networks = read(source)
    names = ("G", "D", "G_ema")
    if not isinstance(networks, dict) or not all(isinstance(networks.get(name), Opaque) for name in names):
        print(f"not a network file of StyleGAN2, StyleGAN3 or R3GAN, it has no G, D and G_ema: {source}",
              file=sys.stderr)
        return 65
    tensors = {}
    for name in names:
        tensors.update(tensors_of(networks[name], f"{name}."))
    found = [(kind, options_of) for key, kind, options_of in FAMILIES if key in tensors]
    if not found:
        print(f"the networks are not those of StyleGAN2, StyleGAN3 or R3GAN: {source}", file=sys.stderr)
        return 65
    kind, options_of = found[0]
    options = {key: str(value) for key, value in options_of(networks, tensors).items()}
    save_file(tensors, target, metadata={"kind": kind, **options})
    print(f"{target}: {len(tensors)} tensors, {kind}, {options}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
