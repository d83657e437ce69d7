#include "metrics/networks/feature_net.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/isfinite.h>

#include <algorithm>
#include <sstream>

#include "base/error.h"
#include "checkpoint/safetensors.h"
#include "device/exact_float32.h"
#include "metrics/networks/inception.h"
#include "metrics/networks/network_file.h"
#include "metrics/networks/torchscript_net.h"

namespace ganscale::metrics {
namespace {

constexpr const char* kFeatureNetKey = "evaluate.feature_net";
constexpr const char* kWhereFrom =
    "get NVIDIA's "
    "https://nvlabs-fi-cdn.nvidia.com/stylegan2-ada-pytorch/pretrained/metrics/"
    "inception-2015-12-05.pt, or convert pytorch-fid's weights with scripts/convert-inception.py";

std::unique_ptr<FeatureNet> open(const FeatureNetConfig& config, at::Device device) {
  if (config.file.extension() != ".safetensors") return open_torchscript_net(config, device);
  const auto weights = checkpoint::read_safetensors(config.file);
  try {
    return std::make_unique<Inception>(weights.tensors, device);
  } catch (const DataError& error) {
    throw ConfigError(std::string(kFeatureNetKey) + " is not a converted Inception network; " +
                      kWhereFrom + ": " + config.file.string() + ": " + error.what());
  }
}

/// Returns what is wrong with an output that must be [2, D] and finite; empty if nothing is.
std::string defect_of(const at::Tensor& output) {
  if (output.dim() != 2 || output.size(0) != 2 || output.size(1) < 1) {
    std::ostringstream text;
    text << "expected [2, D] for two images, got " << output.sizes();
    return text.str();
  }
  return at::isfinite(output).all().item<bool>() ? "" : "got NaN or infinity";
}

/// Extracts features of two images of the run's shape.
Features try_net(FeatureNet& net, const FeatureNetConfig& config, ImageShape image) {
  const auto pixels = 2 * image.channels * image.resolution.pixels();
  const auto images =
      at::arange(pixels, at::kLong)
          .remainder(256)
          .to(at::kByte)
          .view({2, image.channels, image.resolution.height, image.resolution.width});
  try {
    return net.extract(images);
  } catch (const DataError& error) {
    std::ostringstream shape;
    shape << images.sizes();
    throw ConfigError("evaluate.feature_net does not accept the images of this run, " +
                      shape.str() + ": " + config.file.string() + ": " + error.what());
  }
}

}  // namespace

Features FeatureNet::extract(const at::Tensor& images, WantedOutputs wanted) {
  const device::ExactFloat32 exact;
  return compute(images, wanted);
}

std::optional<std::int64_t> first_nonfinite_row(const Features& features) {
  std::optional<std::int64_t> first;
  for (const auto& output : {features.features, features.logits}) {
    if (!output.defined()) continue;
    const auto bad = at::isfinite(output).all(1).logical_not().nonzero();
    if (bad.size(0) == 0) continue;
    const auto row = bad[0].item<std::int64_t>();
    first = std::min(first.value_or(row), row);
  }
  return first;
}

OpenFeatureNet open_feature_net(const FeatureNetConfig& config, ImageShape image,
                                at::Device device) {
  OpenFeatureNet result;
  result.sha256 = digest_of({kFeatureNetKey, kWhereFrom, config.file, config.sha256});
  result.net = open(config, device);
  const auto features = try_net(*result.net, config, image);
  for (const auto& output : {features.features, features.logits}) {
    if (!output.defined()) continue;
    const auto defect = defect_of(output);
    if (!defect.empty()) {
      throw ConfigError("evaluate.feature_net has the wrong output: " + config.file.string() +
                        ": " + defect);
    }
  }
  result.feature_count = features.features.size(1);
  if (features.logits.defined()) result.class_count = features.logits.size(1);
  return result;
}

}  // namespace ganscale::metrics
