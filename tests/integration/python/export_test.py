"""Draws the same latents through both exports of one DC-GAN run and compares the images.

Usage: export_test.py GENERATOR.pt GENERATOR.safetensors
The network below is written from the table of the paper (docs/papers.md), not from the exporting program. Exit
code 77: torch or safetensors is missing.
"""

import sys

try:
    import torch
    from safetensors import safe_open
    from torch.nn import functional as F
except ImportError:
    sys.exit(77)


def batch_norm(x, w, name, eps):
    return F.batch_norm(
        x, w[name + ".running_mean"], w[name + ".running_var"], w[name + ".weight"], w[name + ".bias"], eps=eps
    )


def generator(z, labels, w, resolution):
    if "label_embedding.weight" in w:
        z = torch.cat([z, w["label_embedding.weight"][labels]], dim=1)
    x = F.relu(F.linear(z, w["l1.0.weight"], w["l1.0.bias"])).view(-1, 128, resolution // 4, resolution // 4)
    x = batch_norm(x, w, "conv_blocks.0", 1e-5)
    for conv in (2, 6):
        x = F.interpolate(x, scale_factor=2, mode="nearest")
        x = F.conv2d(x, w[f"conv_blocks.{conv}.weight"], w[f"conv_blocks.{conv}.bias"], padding=1)
        x = F.leaky_relu(batch_norm(x, w, f"conv_blocks.{conv + 1}", 0.8), 0.2)
    return torch.tanh(F.conv2d(x, w["conv_blocks.9.weight"], w["conv_blocks.9.bias"], padding=1))


def main(script_file, weights_file):
    with safe_open(weights_file, "pt") as file:
        weights = {name: file.get_tensor(name) for name in file.keys()}
        facts = file.metadata()
    torch.manual_seed(0)
    z = torch.randn(5, int(facts["z_dim"]))
    label_count = int(facts["label_count"])
    labels = torch.arange(5) % label_count if label_count else None
    script = torch.jit.load(script_file)
    with torch.no_grad():
        from_script = script(z, labels) if label_count else script(z)
        from_weights = generator(z, labels, weights, int(facts["resolution"]))
    error = (from_script - from_weights).abs().max().item()
    print(f"shape {tuple(from_script.shape)}  largest difference {error:.3g}")
    assert from_script.shape == (5, int(facts["channels"]), int(facts["resolution"]), int(facts["resolution"]))
    assert error < 1e-5, error


main(*sys.argv[1:])
