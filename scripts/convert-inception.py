#!/usr/bin/env python3
"""Turns pytorch-fid's weights of InceptionV3 into the file that `ganscale evaluate` reads.

  scripts/convert-inception.py pt_inception-2015-12-05-6726825d.pth inception.safetensors

The weights: https://github.com/mseitzer/pytorch-fid/releases/tag/fid_weights
Needs torch and safetensors; the file that it reads is a pickle, opened without running code.
"""
import hashlib
import sys

import torch
from safetensors.torch import save_file

KEPT = (".conv.weight", ".bn.weight", ".bn.bias", ".bn.running_mean", ".bn.running_var")
CONVOLUTIONS = 94


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 64
    source, target = sys.argv[1:]
    state = torch.load(source, map_location="cpu", weights_only=True)
    kept = {
        name: tensor.float().contiguous()
        for name, tensor in state.items()
        if name == "fc.weight" or (name.endswith(KEPT) and not name.startswith("AuxLogits."))
    }
    convolutions = sum(name.endswith(".conv.weight") for name in kept)
    if convolutions != CONVOLUTIONS or kept["fc.weight"].shape != (1008, 2048):
        print(f"not the weights of pytorch-fid's InceptionV3: {source}: {convolutions} "
              f"convolutions, expected {CONVOLUTIONS}", file=sys.stderr)
        return 65
    save_file(kept, target)
    with open(target, "rb") as file:
        print(f"{target}: SHA-256 {hashlib.sha256(file.read()).hexdigest()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
