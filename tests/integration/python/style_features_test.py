"""Writes a network file as stylegan2-ada-pytorch, stylegan3 and R3GAN do, from a fixture, or its networks by torch.save(); or
compares exports with it: weights, and images of a TorchScript module.

  style_features_test.py [pickle|save FIXTURE OUT]... [compare|images FIXTURE EXPORT]...
Exit code 77: torch or safetensors is missing. Several verbs import torch once, which takes seconds.
"""
import pickle
import sys
import types

try:
    import torch
    from safetensors import safe_open
    from safetensors.torch import load_file
except ImportError:
    sys.exit(77)


def _reconstruct_persistent_obj(meta):
    raise RuntimeError("the code in a network file must not be run")


_reconstruct_persistent_obj.__module__ = "torch_utils.persistence"
sys.modules["torch_utils"] = types.ModuleType("torch_utils")
sys.modules["torch_utils.persistence"] = types.ModuleType("torch_utils.persistence")
sys.modules["torch_utils.persistence"]._reconstruct_persistent_obj = _reconstruct_persistent_obj


class EasyDict(dict):
    """Has the name of the class in their pickles; the converter must work without it."""


class Persistent(torch.nn.Module):
    """An object that is pickled as its source code and its state."""

    def __reduce__(self):
        meta = {"type": "class", "version": 6, "module_src": "raise SystemExit", "class_name": "Network",
                "state": self.__dict__}
        return _reconstruct_persistent_obj, (meta,)


BUFFERS = {"w_avg", "noise_const", "resample_filter", "up_filter", "down_filter", "magnitude_ema", "freqs", "phases",
           "transform", "Kernel"}
SYNTHESIS_ARGUMENTS = ["conv_kernel", "use_radial_filters", "filter_size", "lrelu_upsampling", "num_layers", "num_critical",
                       "first_cutoff", "first_stopband", "last_stopband_rel", "margin_size", "output_scale",
                       "magnitude_ema_beta", "conv_clamp"]


def module_of(tensors, prefix):
    """Builds a tree of modules from the tensors whose names start with prefix."""
    root = Persistent()
    for name, tensor in tensors.items():
        if not name.startswith(prefix):
            continue
        *path, last = name[len(prefix):].split(".")
        module = root
        for part in path:
            if part not in module._modules:
                module.add_module(part, Persistent())
            module = module._modules[part]
        if last in BUFFERS:
            module.register_buffer(last, tensor.float())
        else:
            module.register_parameter(last, torch.nn.Parameter(tensor.float()))
    return root


def describe_precision(network):
    """Sets what the layers of a StyleGAN2 generator keep of a training in fp16."""
    if "synthesis" not in network._modules:
        return
    for name, block in network.synthesis.named_children():
        block.use_fp16 = name != "b4"
        block.conv1.conv_clamp = 256


def describe_stylegan(network, options):
    """Sets what a StyleGAN's networks keep besides their tensors."""
    number = {key: int(value) for key, value in options.items() if value.isdigit()}
    network.z_dim, network.c_dim, network.w_dim = number["z_dim"], number["c_dim"], number["w_dim"]
    network.img_resolution, network.img_channels = number["img_resolution"], number["img_channels"]
    mapping = EasyDict(num_layers=number["mapping_layers"])
    epilogue = EasyDict(mbstd_group_size=number["mbstd_group_size"])
    if options["kind"] == "stylegan2_trace":
        describe_precision(network)
        network._init_kwargs = EasyDict(
            mapping_kwargs=mapping, epilogue_kwargs=epilogue, architecture=options["d_architecture"],
            synthesis_kwargs=EasyDict(channel_base=number["channel_base"], channel_max=number["channel_max"]))
        return
    side = "g" if "synthesis" in network._modules else "d"
    channels = EasyDict(channel_base=number[side + "_channel_base"], channel_max=number[side + "_channel_max"])
    if side == "g":
        given = {key: float(options[key]) for key in SYNTHESIS_ARGUMENTS}
        given = {key: int(value) if value.is_integer() else value for key, value in given.items()}
        network._init_kwargs = EasyDict(mapping_kwargs=mapping, **channels, **given)
    else:
        network._init_kwargs = EasyDict(epilogue_kwargs=epilogue, **channels)


def write_pickle(fixture, out):
    tensors = load_file(fixture)
    with safe_open(fixture, "pt") as file:
        options = {key: value for key, value in file.metadata().items()}
    networks = {}
    for name in ("G", "D"):
        network = module_of(tensors, f"init.{name}.")
        if options["kind"] != "r3gan_trace":
            describe_stylegan(network, options)
        networks[name] = network
    with open(out, "wb") as file:
        pickle.dump({**networks, "G_ema": networks["G"], "augment_pipe": None}, file)


def save_networks(fixture, out):
    tensors = load_file(fixture)
    networks = {name: module_of(tensors, f"init.{name}.").state_dict() for name in ("G", "D")}
    torch.save({**networks, "G_ema": networks["G"], "images": 1000}, out)


def compare(fixture, export):
    expected = {name[len("init.G."):]: tensor.float() for name, tensor in load_file(fixture).items()
                if name.startswith("init.G.")}
    ours = load_file(export)
    assert ours.keys() == expected.keys(), (fixture, ours.keys() ^ expected.keys())
    for name, tensor in expected.items():
        assert torch.equal(ours[name], tensor), (fixture, name)


def compare_images(fixture, export):
    tensors = load_file(fixture)
    generator = torch.jit.load(export)
    z, labels = tensors["forward.z"].float(), tensors["forward.c"]
    inputs = [z, labels.argmax(1)] if labels.shape[1] > 0 else [z]
    with torch.no_grad():
        expected = tensors.get("forward.image_noise_const", tensors.get("forward.image")).float()
        error = (generator(*inputs) - expected).abs().max().item()
    print(f"{fixture}: largest difference {error:.3g}")
    assert error < 1e-5, (fixture, error)


VERBS = {"pickle": write_pickle, "save": save_networks, "compare": compare, "images": compare_images}
for verb, fixture_file, file_name in zip(sys.argv[1::3], sys.argv[2::3], sys.argv[3::3], strict=True):
    VERBS[verb](fixture_file, file_name)
