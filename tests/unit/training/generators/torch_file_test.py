"""Writes files of torch.save() for torch_file_test.cpp, and others that must be refused.

  torch_file_test.py FOLDER; exits with 77 where torch is missing.
"""
import os
import sys
import zipfile

try:
    import torch
except ImportError as error:
    print(error)
    sys.exit(77)

folder = sys.argv[1]
DTYPES = [torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int16, torch.int8,
          torch.uint8, torch.bool]


class Call:
    """Whoever unpickles it runs a command."""

    def __reduce__(self):
        return os.system, (f"touch {folder}/was-run",)


def save(value, name, **options):
    torch.save(value, f"{folder}/{name}", **options)


def rewrite(source, name, change, compression=zipfile.ZIP_STORED):
    """Copies a file with other members: change(name, content) returns the content, or None to leave the member out."""
    with zipfile.ZipFile(f"{folder}/{source}") as old, zipfile.ZipFile(f"{folder}/{name}", "w", compression) as new:
        for member in old.namelist():
            content = change(member.split("/", 1)[1], old.read(member))
            if content is not None:
                new.writestr(member, content)


def replaced(member, change):
    return lambda name, content: change(content) if name == member else content


save({str(dtype): torch.arange(6).view(2, 3).to(dtype) for dtype in DTYPES}, "dtypes.pt")

numbers = torch.arange(12.0).view(3, 4)
save({"whole": numbers, "transposed": numbers.t(), "part": numbers[1:, ::2], "expanded": torch.ones(1).expand(3, 4),
      "scalar": torch.tensor(0.1, dtype=torch.float64), "empty": torch.zeros(0, 4),
      "parameter": torch.nn.Parameter(numbers[2])}, "views.pt")

network = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.BatchNorm1d(3))
with torch.no_grad():
    network[0].weight.copy_(numbers)
save({"G": network.state_dict(), "steps": 2**40, "loss": -0.5, "name": "größe", "nothing": None, "flags": [True, False]},
     "networks.pt")

save({"w": numbers, "hook": Call()}, "call.pt")
save(network, "module.pt")
torch.jit.script(network).save(f"{folder}/torchscript.pt")
save({"w": numbers}, "legacy.pt", _use_new_zipfile_serialization=False)
save({"w": numbers}, "protocol4.pt", pickle_protocol=4)
save({"w": numbers}, "good.pt")
with open(f"{folder}/good.pt", "rb") as file:
    whole = file.read()
with open(f"{folder}/truncated.pt", "wb") as file:
    file.write(whole[:len(whole) * 2 // 3])
at = whole.index(numbers.numpy().tobytes())
with open(f"{folder}/flipped.pt", "wb") as file:
    file.write(whole[:at + 5] + bytes([whole[at + 5] ^ 1]) + whole[at + 6:])
rewrite("good.pt", "short_storage.pt", replaced("data/0", lambda content: content[:40]))
rewrite("good.pt", "long_storage.pt", replaced("data/0", lambda content: content + b"\0\0\0\0"))
rewrite("good.pt", "no_storage.pt", replaced("data/0", lambda content: None))
rewrite("good.pt", "no_pickle.pt", replaced("data.pkl", lambda content: None))
rewrite("good.pt", "big_endian.pt", replaced("byteorder", lambda content: b"big"))
rewrite("good.pt", "compressed.pt", lambda name, content: content, zipfile.ZIP_DEFLATED)
# BININT1 12 in the storage's name becomes 13, which data/0 has not.
rewrite("good.pt", "claims_more.pt", replaced("data.pkl", lambda content: content.replace(b"K\x0ct", b"K\x0dt")))
# The tensor's shape [3, 4] becomes [3, 5].
rewrite("good.pt", "large_tensor.pt", replaced("data.pkl", lambda content: content.replace(b"K\x03K\x04", b"K\x03K\x05")))
