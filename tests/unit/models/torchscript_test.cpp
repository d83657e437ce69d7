#include "models/torchscript.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/jit/serialization/import.h>

#include <array>

#include "models/label_bundle.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"
#include "tensors/named_tensors.h"
#include "unit/models/read_model.h"

namespace ganscale::models {
namespace {

constexpr int kLabels = 4;

struct ExportCase {
  const char* model;
  const char* yaml;
  bool is_clamped = false;  ///< as where it was trained in low precision
  /// Of the difference of an image. A trace has LibTorch's convolutions, which on a CPU round
  /// otherwise than ours: it matters where batch norms amplify the weights of this test.
  double bound = 1e-5;
};

std::shared_ptr<Generator> generator_of(const ExportCase& from) {
  ModelConfig config =
      parse_model(config::Section(config::parse_yaml(from.yaml, "run.yaml")), model_table(),
                  from.is_clamped ? std::optional(at::kHalf) : std::nullopt);
  config.compute_in_float32();
  if (takes_labels(config)) config.label_count = kLabels;
  const auto generator = build_generator(config, 3, nullptr);
  // Statistics that a batch norm in training mode would not use, and parameters that start as zero.
  const at::NoGradGuard no_grad;
  for (const auto& [name, tensor] : named_state(*generator)) {
    if (name.ends_with("_mean")) tensor.fill_(0.25);
    if (name.ends_with("_var")) tensor.fill_(0.5);
    if (name.ends_with("noise_strength") || name.ends_with("gamma")) tensor.fill_(0.3);
    if (name.ends_with("bias") && tensor.dim() == 1) {
      tensor.add_(at::arange(tensor.numel()).sin().mul(0.5));
    }
  }
  return generator;
}

std::shared_ptr<Generator> unconditional() { return generator_of({"", "{}"}); }

class SaveTorchscript : public testing::TestWithParam<ExportCase> {};

TEST_P(SaveTorchscript, GivesTheSameImagesForAnyBatch) {
  const auto generator = generator_of(GetParam());
  const TemporaryFolder folder;
  save_torchscript(*generator, folder / "generator.pt");
  EXPECT_TRUE(generator->is_training());

  auto loaded = torch::jit::load((folder / "generator.pt").string());
  generator->eval();
  const at::NoGradGuard no_grad;
  for (const int batch : {1, 2, 5}) {
    const auto z = at::arange(batch * generator->z_dim()).view({batch, -1}).mul(7).sin();
    std::vector<c10::IValue> inputs = {z};
    at::Tensor labels;
    if (generator->label_count() > 0) {
      labels = at::arange(batch).remainder(kLabels);
      inputs.emplace_back(labels);
    }
    kernels::RandomStream random({}, Stream::kSamples);
    const auto expected = generator->forward(z, labels, random);
    EXPECT_GT((expected - expected.mean()).abs().max().item<double>(), 1e-3) << "all gray";
    const auto images = loaded.forward(inputs).toTensor();
    EXPECT_LT((images - expected).abs().max().item<double>(), GetParam().bound) << batch;
  }
}

TEST_P(SaveTorchscript, KeepsTheNamesOfParametersAndBuffers) {
  const auto generator = generator_of(GetParam());
  const TemporaryFolder folder;
  save_torchscript(*generator, folder / "generator.pt");
  const auto loaded = torch::jit::load((folder / "generator.pt").string());
  NamedTensors state;
  for (const auto& item : loaded.named_parameters()) state.emplace(item.name, item.value);
  for (const auto& item : loaded.named_buffers()) state.emplace(item.name, item.value);
  const auto expected = named_state(*generator);
  ASSERT_EQ(state.size(), expected.size());
  for (const auto& [name, tensor] : expected) {
    ASSERT_TRUE(state.contains(name)) << name;
    EXPECT_TRUE(at::equal(state.at(name), tensor)) << name;
  }
}

// LibTorch takes one number for both axes, ONNX does not.
TEST_P(SaveTorchscript, GivesConvolutionsBothAxes) {
  const TemporaryFolder folder;
  save_torchscript(*generator_of(GetParam()), folder / "generator.pt");
  const auto loaded = torch::jit::load((folder / "generator.pt").string());
  int lists = 0;
  for (const torch::jit::Node* node : loaded.get_method("forward").graph()->nodes()) {
    if (!std::string_view(node->kind().toQualString()).ends_with("convolution")) continue;
    for (const torch::jit::Value* input : node->inputs()) {
      if (input->node()->kind() != c10::prim::ListConstruct) continue;
      EXPECT_EQ(input->node()->inputs().size(), 2U);
      ++lists;
    }
  }
  EXPECT_GE(lists, 4 * 3) << "of strides, padding, dilation and more padding of some convolutions";
}

constexpr std::array kExportCases = {
    ExportCase{"dcgan", "{}"},
    ExportCase{"conditional_dcgan", "name: conditional_dcgan"},
    ExportCase{"conditional_sngan", "name: conditional_sngan", /*is_clamped=*/false,
               /*bound=*/1e-4},
    ExportCase{"biggan", "{name: biggan, generator_channels: 4, shared_dim: 5}"},
    ExportCase{"biggan_deep", "{name: biggan_deep, generator_channels: 4, shared_dim: 5}"},
    ExportCase{"stylegan2",
               "{name: stylegan2, resolution: 32, z_dim: 12, w_dim: 16, mapping_layers: 2, "
               "channel_base: 256, channel_max: 24}"},
    ExportCase{"conditional_stylegan2",
               "{name: stylegan2, conditional: true, resolution: 16, z_dim: 12, w_dim: 16, "
               "mapping_layers: 2, channel_base: 256, channel_max: 24}"},
    ExportCase{"clamped_stylegan2",
               "{name: stylegan2, resolution: 16, z_dim: 12, w_dim: 16, mapping_layers: 2, "
               "channel_base: 256, channel_max: 24, conv_clamp: 0.5}",
               /*is_clamped=*/true},
    ExportCase{"stylegan3",
               "{name: stylegan3, resolution: 32, z_dim: 12, w_dim: 16, channel_base: 256, "
               "channel_max: 16, layers: 6, margin: 4, conv_clamp: 0.5}"},
    ExportCase{"conditional_stylegan3_r",
               "{name: stylegan3, conditional: true, resolution: 16, z_dim: 12, w_dim: 16, "
               "channel_base: 256, channel_max: 16, layers: 4, margin: 4, kernel: 1, "
               "radial_filters: true}"},
    ExportCase{"r3gan", "{name: r3gan, conditional: true, z_dim: 8, channel_max: 16}"},
    ExportCase{"wide_stylegan2",
               "{name: stylegan2, resolution: [8, 32], z_dim: 12, w_dim: 16, mapping_layers: 2, "
               "channel_base: 256, channel_max: 24}"},
    ExportCase{"high_stylegan3",
               "{name: stylegan3, resolution: [32, 16], z_dim: 12, w_dim: 16, channel_base: 256, "
               "channel_max: 16, layers: 4, margin: 4}"}};

INSTANTIATE_TEST_SUITE_P(Models, SaveTorchscript, testing::ValuesIn(kExportCases),
                         [](const auto& info) { return std::string(info.param.model); });

// The bundle is a script around traces of its generators.
TEST(SaveTorchscript, TakesBundlesOfStyleBasedGenerators) {
  const ExportCase style = kExportCases[5];
  LabelBundle bundle({{0, generator_of(style)}, {2, generator_of(style)}}, /*label_count=*/3);
  bundle.eval();
  const TemporaryFolder folder;
  save_torchscript(bundle, folder / "bundle.pt");
  const auto z = at::arange(5 * bundle.z_dim()).view({5, -1}).sin();
  const auto labels = at::tensor({2, 0, 0, 2, 0}, at::kLong);
  kernels::RandomStream random({}, Stream::kSamples);
  const at::NoGradGuard no_grad;
  const auto expected = bundle.forward(z, labels, random);
  auto loaded = torch::jit::load((folder / "bundle.pt").string());
  EXPECT_LT((loaded.forward({z, labels}).toTensor() - expected).abs().max().item<double>(), 1e-5);
}

TEST(SaveTorchscript, RefusesALabelThatTheBundleHasNoGeneratorFor) {
  LabelBundle bundle({{0, unconditional()}, {2, unconditional()}}, /*label_count=*/3);
  const TemporaryFolder folder;
  save_torchscript(bundle, folder / "bundle.pt");
  auto loaded = torch::jit::load((folder / "bundle.pt").string());
  const auto z = at::zeros({3, bundle.z_dim()});
  const auto refusal = [&](std::int64_t label) -> std::string {
    try {
      loaded.forward({z, at::tensor({std::int64_t{2}, label, std::int64_t{0}})});
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refusal(1), testing::HasSubstr("no generator for label 1, only for 0, 2"));
  EXPECT_EQ(refusal(2), "");
}

TEST(SaveTorchscript, CarriesMetadata) {
  const TemporaryFolder folder;
  save_torchscript(*unconditional(), folder / "g.pt", {{"label_probabilities", "[0.5,0.5]"}});
  torch::jit::ExtraFilesMap extra{{"label_probabilities", ""}};
  torch::jit::load((folder / "g.pt").string(), std::nullopt, extra);
  EXPECT_EQ(extra.at("label_probabilities"), "[0.5,0.5]");
}

TEST(SaveTorchscript, NamesTheFileItCannotWrite) {
  expect_error(ExitCode::kData, "cannot write the TorchScript module: /nowhere/generator.pt",
               [] { save_torchscript(*unconditional(), "/nowhere/generator.pt"); });
}

}  // namespace
}  // namespace ganscale::models
