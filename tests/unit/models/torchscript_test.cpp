#include "models/torchscript.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/jit/serialization/import.h>

#include "support/expect_error.h"
#include "support/temporary_folder.h"
#include "tensors/named_tensors.h"
#include "unit/models/read_model.h"

namespace ganscale::models {
namespace {

std::shared_ptr<Generator> generator_of(bool conditional) {
  const auto config = conditional ? read_model("name: conditional_dcgan", 4) : read_model("{}");
  const auto generator = build_generator(config, 3, nullptr);
  // Statistics that a batch norm in training mode would not use.
  const at::NoGradGuard no_grad;
  for (const auto& [name, buffer] : named_buffers(*generator)) {
    if (name.ends_with("running_mean")) buffer.fill_(0.25);
    if (name.ends_with("running_var")) buffer.fill_(0.5);
  }
  return generator;
}

class SaveTorchscript : public testing::TestWithParam<bool> {};

TEST_P(SaveTorchscript, GivesTheSameImagesForAnyBatch) {
  const bool conditional = GetParam();
  const auto generator = generator_of(conditional);
  const TemporaryFolder folder;
  save_torchscript(*generator, folder / "generator.pt");
  EXPECT_TRUE(generator->is_training());

  auto loaded = torch::jit::load((folder / "generator.pt").string());
  generator->eval();
  const at::NoGradGuard no_grad;
  for (const int batch : {1, 2, 5}) {
    const auto z = at::arange(batch * 100).view({batch, 100}).sin();
    const auto labels = conditional ? at::arange(batch).remainder(4) : at::Tensor();
    const std::vector<c10::IValue> inputs =
        conditional ? std::vector<c10::IValue>{z, labels} : std::vector<c10::IValue>{z};
    kernels::RandomStream random({}, Stream::kSamples);
    const auto expected = generator->forward(z, labels, random);
    EXPECT_TRUE(at::allclose(loaded.forward(inputs).toTensor(), expected, 1e-5, 1e-6)) << batch;
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

INSTANTIATE_TEST_SUITE_P(Models, SaveTorchscript, testing::Bool());

TEST(SaveTorchscript, CarriesMetadata) {
  const TemporaryFolder folder;
  save_torchscript(*generator_of(true), folder / "g.pt", {{"label_probabilities", "[0.5,0.5]"}});
  torch::jit::ExtraFilesMap extra{{"label_probabilities", ""}};
  torch::jit::load((folder / "g.pt").string(), std::nullopt, extra);
  EXPECT_EQ(extra.at("label_probabilities"), "[0.5,0.5]");
}

TEST(SaveTorchscript, NamesTheFileItCannotWrite) {
  expect_error(ExitCode::kData, "cannot write the TorchScript module: /nowhere/generator.pt",
               [] { save_torchscript(*generator_of(false), "/nowhere/generator.pt"); });
}

}  // namespace
}  // namespace ganscale::models
