"""Builds InceptionV3 (FID variant) in PyTorch with seeded random weights.

  inception_network.py OUT.pt OUT.pth

OUT.pt is a TorchScript module of pixels in [0, 255] at 299x299 that gives (features, logits);
OUT.pth its weights as pytorch-fid keeps them. Exit 77 without torch or safetensors.
"""
import sys

try:
    import safetensors  # noqa: F401  (the converter needs it)
    import torch
except ImportError:
    sys.exit(77)
from torch import nn
from torch.nn import functional as F


class Conv(nn.Module):
    def __init__(self, inputs, outputs, kernel, stride=1, padding=0):
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, kernel, stride, padding, bias=False)
        self.bn = nn.BatchNorm2d(outputs, eps=0.001)

    def forward(self, x):
        return F.relu(self.bn(self.conv(x)))


def mean_pool(x):
    return F.avg_pool2d(x, 3, stride=1, padding=1, count_include_pad=False)


class A(nn.Module):
    def __init__(self, n, pool):
        super().__init__()
        self.branch1x1 = Conv(n, 64, 1)
        self.branch5x5_1, self.branch5x5_2 = Conv(n, 48, 1), Conv(48, 64, 5, padding=2)
        self.branch3x3dbl_1 = Conv(n, 64, 1)
        self.branch3x3dbl_2, self.branch3x3dbl_3 = Conv(64, 96, 3, padding=1), Conv(96, 96, 3, padding=1)
        self.branch_pool = Conv(n, pool, 1)

    def forward(self, x):
        return torch.cat([
            self.branch1x1(x), self.branch5x5_2(self.branch5x5_1(x)),
            self.branch3x3dbl_3(self.branch3x3dbl_2(self.branch3x3dbl_1(x))),
            self.branch_pool(mean_pool(x))], 1)


class B(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.branch3x3 = Conv(n, 384, 3, stride=2)
        self.branch3x3dbl_1, self.branch3x3dbl_2 = Conv(n, 64, 1), Conv(64, 96, 3, padding=1)
        self.branch3x3dbl_3 = Conv(96, 96, 3, stride=2)

    def forward(self, x):
        twice = self.branch3x3dbl_3(self.branch3x3dbl_2(self.branch3x3dbl_1(x)))
        return torch.cat([self.branch3x3(x), twice, F.max_pool2d(x, 3, 2)], 1)


class C(nn.Module):
    def __init__(self, c):
        super().__init__()
        row, column = {"kernel": (1, 7), "padding": (0, 3)}, {"kernel": (7, 1), "padding": (3, 0)}
        self.branch1x1 = Conv(768, 192, 1)
        self.branch7x7_1, self.branch7x7_2 = Conv(768, c, 1), Conv(c, c, **row)
        self.branch7x7_3 = Conv(c, 192, **column)
        self.branch7x7dbl_1, self.branch7x7dbl_2 = Conv(768, c, 1), Conv(c, c, **column)
        self.branch7x7dbl_3, self.branch7x7dbl_4 = Conv(c, c, **row), Conv(c, c, **column)
        self.branch7x7dbl_5 = Conv(c, 192, **row)
        self.branch_pool = Conv(768, 192, 1)

    def forward(self, x):
        twice = self.branch7x7dbl_2(self.branch7x7dbl_1(x))
        twice = self.branch7x7dbl_5(self.branch7x7dbl_4(self.branch7x7dbl_3(twice)))
        return torch.cat([self.branch1x1(x), self.branch7x7_3(self.branch7x7_2(self.branch7x7_1(x))),
                          twice, self.branch_pool(mean_pool(x))], 1)


class D(nn.Module):
    def __init__(self):
        super().__init__()
        self.branch3x3_1, self.branch3x3_2 = Conv(768, 192, 1), Conv(192, 320, 3, stride=2)
        self.branch7x7x3_1 = Conv(768, 192, 1)
        self.branch7x7x3_2 = Conv(192, 192, (1, 7), padding=(0, 3))
        self.branch7x7x3_3 = Conv(192, 192, (7, 1), padding=(3, 0))
        self.branch7x7x3_4 = Conv(192, 192, 3, stride=2)

    def forward(self, x):
        large = self.branch7x7x3_4(self.branch7x7x3_3(self.branch7x7x3_2(self.branch7x7x3_1(x))))
        return torch.cat([self.branch3x3_2(self.branch3x3_1(x)), large, F.max_pool2d(x, 3, 2)], 1)


class E(nn.Module):
    def __init__(self, n, maximum):
        super().__init__()
        row, column = {"kernel": (1, 3), "padding": (0, 1)}, {"kernel": (3, 1), "padding": (1, 0)}
        self.maximum = maximum
        self.branch1x1 = Conv(n, 320, 1)
        self.branch3x3_1 = Conv(n, 384, 1)
        self.branch3x3_2a, self.branch3x3_2b = Conv(384, 384, **row), Conv(384, 384, **column)
        self.branch3x3dbl_1, self.branch3x3dbl_2 = Conv(n, 448, 1), Conv(448, 384, 3, padding=1)
        self.branch3x3dbl_3a, self.branch3x3dbl_3b = Conv(384, 384, **row), Conv(384, 384, **column)
        self.branch_pool = Conv(n, 192, 1)

    def forward(self, x):
        y = self.branch3x3_1(x)
        z = self.branch3x3dbl_2(self.branch3x3dbl_1(x))
        pool = F.max_pool2d(x, 3, 1, 1) if self.maximum else mean_pool(x)
        return torch.cat([self.branch1x1(x), self.branch3x3_2a(y), self.branch3x3_2b(y),
                          self.branch3x3dbl_3a(z), self.branch3x3dbl_3b(z),
                          self.branch_pool(pool)], 1)


class Inception(nn.Module):
    def __init__(self):
        super().__init__()
        self.Conv2d_1a_3x3, self.Conv2d_2a_3x3 = Conv(3, 32, 3, stride=2), Conv(32, 32, 3)
        self.Conv2d_2b_3x3, self.Conv2d_3b_1x1 = Conv(32, 64, 3, padding=1), Conv(64, 80, 1)
        self.Conv2d_4a_3x3 = Conv(80, 192, 3)
        self.Mixed_5b, self.Mixed_5c, self.Mixed_5d = A(192, 32), A(256, 64), A(288, 64)
        self.Mixed_6a = B(288)
        self.Mixed_6b, self.Mixed_6c, self.Mixed_6d, self.Mixed_6e = C(128), C(160), C(160), C(192)
        self.Mixed_7a, self.Mixed_7b, self.Mixed_7c = D(), E(1280, False), E(2048, True)
        self.fc = nn.Linear(2048, 1008)

    def forward(self, pixels):
        x = (pixels - 128) / 128
        x = self.Conv2d_2b_3x3(self.Conv2d_2a_3x3(self.Conv2d_1a_3x3(x)))
        x = self.Conv2d_4a_3x3(self.Conv2d_3b_1x1(F.max_pool2d(x, 3, 2)))
        x = F.max_pool2d(x, 3, 2)
        x = self.Mixed_6a(self.Mixed_5d(self.Mixed_5c(self.Mixed_5b(x))))
        x = self.Mixed_6e(self.Mixed_6d(self.Mixed_6c(self.Mixed_6b(x))))
        x = self.Mixed_7c(self.Mixed_7b(self.Mixed_7a(x)))
        features = x.mean((2, 3))
        return features, F.linear(features, self.fc.weight)


torch.manual_seed(1)
network = Inception().eval()
for module in network.modules():
    if isinstance(module, nn.Conv2d):
        nn.init.kaiming_normal_(module.weight)
    elif isinstance(module, nn.BatchNorm2d):
        nn.init.uniform_(module.weight, 0.8, 1.2)
        nn.init.normal_(module.bias, 0, 0.1)
        nn.init.normal_(module.running_mean, 0, 0.1)
        nn.init.uniform_(module.running_var, 0.8, 1.5)
with torch.no_grad():
    torch.jit.trace(network, torch.rand(2, 3, 299, 299) * 255).save(sys.argv[1])
state = network.state_dict()
state["AuxLogits.conv0.conv.weight"] = torch.zeros(1)  # the published file has these as well
torch.save(state, sys.argv[2])
