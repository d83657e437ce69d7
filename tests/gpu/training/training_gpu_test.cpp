#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <gtest/gtest.h>

#include "comm/backends/thread_group.h"
#include "device/cuda_graph.h"
#include "device/gpu.h"
#include "integration/training/trainee.h"
#include "training/bench/measure_steps.h"
#include "training/bench/synthetic_dataset.h"
#include "training/phases/skipped_updates.h"
#include "unit/training/parse_text.h"

namespace ganscale::training {
namespace {

const at::Device kGpu(at::kCUDA, 0);

class TrainingOnAGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (device::visible_gpu_count() == 0) GTEST_SKIP() << "there is no CUDA device";
    device::use_device(kGpu);
    device::allow_tf32(false);
  }

  /// The gradients of both networks after this many steps.
  static at::Tensor gradients(const RunConfig& config, const device::NetworkDevices& devices,
                              int steps) {
    const auto alone = comm::make_single_group();
    Trainee trainee(config, *alone, devices);
    trainee.train(steps);
    return at::cat({all_gradients(trainee.replica().generator()),
                    all_gradients(trainee.replica().discriminator())});
  }
};

TEST_F(TrainingOnAGpu, HasTheGradientsOfTheCpu) {
  for (const char* model : {"dcgan", "conditional_dcgan"}) {
    const auto config = make_config(model, "local", Precision::kFp32);
    expect_close(gradients(config, kGpu, 1), gradients(config, at::kCPU, 1), 1e-4);
  }
}

TEST_F(TrainingOnAGpu, ReportsASkippedUpdateAStepLater) {
  const auto alone = comm::make_single_group();
  Trainee trainee(make_config("dcgan", "local", Precision::kFp32), *alone, kGpu);
  Phase phase;
  phase.name = "Gmain";
  phase.optimizer = &trainee.replica().generator_optimizer();
  SkippedUpdates skipped;
  skipped.add(phase, at::ones({100}, at::kFloat).to(kGpu));
  trainee.train(1);  // its gradients name the parameters
  EXPECT_TRUE(skipped.take().empty());
  skipped.add(phase, at::zeros({100}, at::kFloat).to(kGpu));
  EXPECT_EQ(skipped.take().size(), 1U);
  EXPECT_TRUE(skipped.take().empty());
}

TEST_F(TrainingOnAGpu, HasTheGradientsOfTheCpuInEveryPhaseOfStylegan2) {
  const auto config = make_stylegan2_config("", Precision::kFp64);
  expect_close(gradients(config, kGpu, 5), gradients(config, at::kCPU, 5), 1e-8);
}

/// cuDNN's search for the fastest algorithms would take a minute: it loads every candidate for each
/// of these small shapes.
struct WithoutSearch {
  WithoutSearch() { at::globalContext().setBenchmarkCuDNN(false); }
  ~WithoutSearch() { at::globalContext().setBenchmarkCuDNN(true); }
};

/// A training of each kind of network, without what a CUDA graph cannot contain.
RunConfig make_recordable_config(const std::string& model) {
  RunConfig config = model == "biggan"      ? make_biggan_config("", Precision::kFp64)
                     : model == "r3gan"     ? make_r3gan_config("", Precision::kFp64)
                     : model == "stylegan2" ? make_stylegan2_config("", Precision::kFp64)
                     : model == "stylegan3" ? make_stylegan3_config(Precision::kFp64)
                                            : make_config(model, "local", Precision::kFp64);
  config.augment = {};
  if (model == "conditional_wgan") {
    config.loss = {.kind = losses::Adversarial::kWasserstein, .gradient_penalty = 10};
  }
  return config;
}

class Recordable : public TrainingOnAGpu, public testing::WithParamInterface<const char*> {};

// Gmain and Dmain are replayed from their fourth time on, Greg and Dreg from the thirteenth step.
TEST_P(Recordable, ReplaysCapturedPhasesWithTheSameResult) {
  const WithoutSearch without_search;
  auto config = make_recordable_config(GetParam());
  const auto expected = gradients(config, kGpu, 18);
  config.training.cuda_graphs = true;
  expect_close(gradients(config, kGpu, 18), expected, 1e-8);
}

INSTANTIATE_TEST_SUITE_P(Models, Recordable,
                         testing::Values("dcgan", "conditional_wgan", "sngan", "stylegan2",
                                         "stylegan3", "biggan", "r3gan"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST_F(TrainingOnAGpu, HasTheGradientsOfTheCpuWithTheNetworksOnDevicesOfTheirOwn) {
  std::vector<device::NetworkDevices> pairs = {{at::kCPU, kGpu}};
  if (device::visible_gpu_count() > 1) pairs.push_back({kGpu, at::Device(at::kCUDA, 1)});
  const auto config = make_config("dcgan", "local", Precision::kFp32);
  const auto expected = gradients(config, at::kCPU, 2);
  for (const auto& devices : pairs) expect_close(gradients(config, devices, 2), expected, 1e-3);
}

TEST_F(TrainingOnAGpu, HasTheGradientsOfTheCpuOnTwoGpusInEveryPhaseOfStylegan2) {
  if (device::visible_gpu_count() < 2) GTEST_SKIP() << "there are fewer than two CUDA devices";
  const auto config = make_stylegan2_config("", Precision::kFp64);
  const device::NetworkDevices two(kGpu, at::Device(at::kCUDA, 1));
  expect_close(gradients(config, two, 5), gradients(config, at::kCPU, 5), 1e-8);
}

// The tolerances of the same on the CPU.
TEST_F(TrainingOnAGpu, ComputesStylegan2InLowPrecision) {
  const WithoutSearch without_search;
  const auto expected =
      gradients(make_stylegan2_config("", Precision::kFp32), kGpu, 1).to(at::kDouble);
  auto config = make_stylegan2_config(", low_precision_resolutions: 8", Precision::kFp32);
  config.model.low_precision_type = at::kHalf;
  expect_close(gradients(config, kGpu, 1), expected, 0.05);
  config.model.low_precision_type = at::kBFloat16;
  expect_close(gradients(config, kGpu, 1), expected, 0.2);
  config.model.low_precision_type.reset();
  device::allow_tf32(true);
  expect_close(gradients(config, kGpu, 1), expected, 0.05);
}

// Here a tensor takes the place of the workspaces of cuDNN's search.
TEST_F(TrainingOnAGpu, IsMeasuredWithoutTheMemoryOfTheFirstSteps) {
  const WithoutSearch without_search;
  constexpr std::int64_t kBytes = std::int64_t{2} << 30;
  at::empty({kBytes}, at::TensorOptions(kGpu).dtype(at::kByte));
  ASSERT_GE(device::device_memory(kGpu).peak_bytes, kBytes);
  RunConfig config = parse("training: {batch: 8}\nmeasure: {warmup_steps: 3, steps: 2}\n");
  config.model.channels = 1;
  const auto alone = comm::make_single_group();
  measure_steps(config, synthetic_dataset(config.model), kGpu, *alone);
  EXPECT_LT(device::device_memory(kGpu).peak_bytes, kBytes);
}

// LibTorch closes the memory pool of graphs with the last of them.
TEST_F(TrainingOnAGpu, CapturesAgainAfterAllGraphsAreGone) {
  constexpr int kRuns = 6;  // of which the fourth is captured
  const auto counter = at::zeros({10}, at::TensorOptions(kGpu));
  for (int graph = 0; graph < 2; ++graph) {
    device::CudaGraph work(kGpu, [&] { counter.add_(1); });
    for (int i = 0; i < kRuns; ++i) work.run();
  }
  EXPECT_TRUE((counter == 2 * kRuns).all().item<bool>());
}

}  // namespace
}  // namespace ganscale::training
