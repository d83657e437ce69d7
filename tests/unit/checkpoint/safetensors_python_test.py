"""Checks a file that ganscale wrote with Python's safetensors, and writes one for ganscale to read.

python safetensors_python_test.py OURS THEIRS; exits with 77 where torch or safetensors is missing.
"""

import sys

try:
    import torch
    from safetensors import safe_open
    from safetensors.torch import load_file, save, save_file
except ImportError as error:
    print(error)
    sys.exit(77)

DTYPES = [
    torch.float64, torch.float32, torch.float16, torch.bfloat16,
    torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool,
]


def expected():
    tensors = {str(dtype): torch.arange(6).view(2, 3).to(dtype) for dtype in DTYPES}
    tensors["scalar"] = torch.tensor(0.1, dtype=torch.float64)
    tensors["empty"] = torch.zeros(0, 4)
    tensors["größe"] = torch.tensor([1.5])
    return tensors


ours, theirs = sys.argv[1:]
loaded = load_file(ours)
assert loaded.keys() == expected().keys(), loaded.keys()
for name, tensor in expected().items():
    assert loaded[name].dtype == tensor.dtype, name
    assert torch.equal(loaded[name], tensor), name
with safe_open(ours, framework="pt") as file:
    assert file.metadata() == {"made by": "ganscale"}, file.metadata()
with open(ours, "rb") as file:
    assert file.read() == save(expected(), {"made by": "ganscale"}), "other bytes than Python's"
save_file(expected(), theirs, {"a": "1", "b": "2"})
