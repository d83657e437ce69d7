"""labels_test.py NET.pt: writes a feature network. labels_test.py SCRIPT.pt BUNDLE.safetensors: checks
that the exported script makes each label's image with that label's weights. Exit 77 without torch."""
import json
import sys

try:
    import torch
    from safetensors.torch import load_file
except ImportError:
    sys.exit(77)


class Net(torch.nn.Module):
    def forward(self, x):
        features = torch.nn.functional.avg_pool2d(x / 255, 16).flatten(1)
        return features, 10 * features


if len(sys.argv) == 2:
    torch.jit.script(Net()).save(sys.argv[1])
    sys.exit(0)
extra = {"label_probabilities": ""}
script, weights = torch.jit.load(sys.argv[1], _extra_files=extra), load_file(sys.argv[2])
assert json.loads(extra["label_probabilities"]) == [1 / 3] * 3, extra
z, labels = torch.randn(5, 100), torch.tensor([2, 0, 2, 1, 0])
images = script(z, labels)
assert images.shape == (5, 1, 32, 32), images.shape
for i, label in enumerate(labels.tolist()):
    alone = getattr(script, f"label_{label}")(z[i:i + 1])
    assert torch.allclose(images[i], alone[0], atol=1e-5), i
    own = dict(getattr(script, f"label_{label}").named_parameters())
    for name, tensor in own.items():
        assert torch.equal(tensor, weights[f"label_{label}.{name}"]), name
