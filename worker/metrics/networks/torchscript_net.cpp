#include "metrics/networks/torchscript_net.h"

#include <ATen/core/grad_mode.h>

#include <limits>

#include "base/error.h"
#include "metrics/networks/resize.h"
#include "metrics/networks/torchscript_module.h"

namespace ganscale::metrics {
namespace {

constexpr const char* kReturnFeatures = "return_features";
constexpr const char* kNoOutputBias = "no_output_bias";

at::Tensor in_float32(const at::Tensor& tensor) { return tensor.to(at::kFloat).contiguous(); }

/// NVIDIA's interface: RGB uint8 in, features or class probabilities out, each in a run of its own.
class NvidiaNet : public FeatureNet {
 public:
  explicit NvidiaNet(torch::jit::Module module, at::Device device)
      : module_(std::move(module)), device_(device) {}

 private:
  Features compute(const at::Tensor& images, WantedOutputs wanted) override {
    const at::NoGradGuard no_grad;
    const auto rgb = images.to(device_).expand({-1, 3, -1, -1});
    Features result;
    if (wanted.features)
      result.features = in_float32(call(module_, rgb, {{kReturnFeatures, true}}).toTensor());
    if (!wanted.logits || !has_argument(module_, kNoOutputBias)) return result;
    const auto p = call(module_, rgb, {{kNoOutputBias, true}}).toTensor();
    // Logarithms of probabilities are logits; zero becomes the smallest positive number.
    result.logits = in_float32(p).clamp_min(std::numeric_limits<float>::min()).log();
    return result;
  }

  torch::jit::Module module_;
  at::Device device_;
};

/// forward(images) -> features, or (features, logits).
class PlainNet : public FeatureNet {
 public:
  PlainNet(torch::jit::Module module, const FeatureNetConfig& config, at::Device device)
      : module_(std::move(module)),
        resolution_(config.resolution),
        signed_range_(config.signed_range),
        device_(device) {}

 private:
  Features compute(const at::Tensor& images, WantedOutputs /*wanted*/) override {
    const at::NoGradGuard no_grad;
    auto input = images.to(device_, at::kFloat);
    if (resolution_ > 0) input = resize_as_tensorflow_1(input, resolution_);
    if (signed_range_) input = input.div(127.5).sub(1);
    const auto output = call(module_, input);
    if (output.isTensor()) return {in_float32(output.toTensor()), {}};
    const auto* parts = output.isTuple() ? &output.toTupleRef().elements() : nullptr;
    if (parts == nullptr || parts->size() != 2 || !(*parts)[0].isTensor() ||
        !(*parts)[1].isTensor()) {
      throw DataError("the feature network must return features, or the pair (features, logits): " +
                      output.tagKind());
    }
    return {in_float32((*parts)[0].toTensor()), in_float32((*parts)[1].toTensor())};
  }

  torch::jit::Module module_;
  std::int64_t resolution_;
  bool signed_range_;
  at::Device device_;
};

}  // namespace

std::unique_ptr<FeatureNet> open_torchscript_net(const FeatureNetConfig& config,
                                                 at::Device device) {
  auto module = load_torchscript(config.file, device,
                                 "evaluate.feature_net is neither a TorchScript module nor a "
                                 "safetensors file; convert pytorch-fid's weights with "
                                 "scripts/convert-inception.py");
  if (has_argument(module, kReturnFeatures)) {
    return std::make_unique<NvidiaNet>(std::move(module), device);
  }
  return std::make_unique<PlainNet>(std::move(module), config, device);
}

}  // namespace ganscale::metrics
