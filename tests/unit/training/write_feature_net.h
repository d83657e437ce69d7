#pragma once

#include <torch/csrc/jit/api/module.h>

#include <filesystem>
#include <string>

namespace ganscale::training {

/// Writes a feature network of images of 32 x 32 pixels. Its code begins with y, the means of the
/// four quarters; `rest` goes on with it.
inline void write_feature_net(const std::filesystem::path& file,
                              const std::string& rest = "  return y, y\n") {
  torch::jit::Module module("net");
  module.define(
      "def forward(self, x):\n"
      "  y = torch.avg_pool2d(x / 64, [16, 16]).flatten(1)\n" +
      rest);
  module.save(file.string());
}

}  // namespace ganscale::training
