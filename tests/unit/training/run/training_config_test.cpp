#include "training/run/training_config.h"

#include "support/expect_error.h"

namespace ganscale::training {
namespace {

TrainingConfig read(const std::string& yaml) {
  return parse_training(config::Section(config::parse_yaml(yaml, "run.yaml")));
}

TEST(TrainingConfig, HasADefaultForEveryKey) {
  const auto c = read("{}");
  EXPECT_EQ(c.total_images(), 1'000'000);
  EXPECT_EQ(c.batch, 64);
  EXPECT_EQ(c.seed_mode, SeedMode::kImage);
  EXPECT_EQ(c.precision, Precision::kFp32);
  EXPECT_FALSE(c.has_plain_layout);
  EXPECT_EQ(c.device, device::DeviceKind::kAuto);
  EXPECT_EQ(c.devices_per_process, 1);
  EXPECT_FALSE(c.cuda_graphs);
  EXPECT_EQ(c.running_means, RunningMeans::kAveraged);
  EXPECT_EQ(c.max_nonfinite_steps, 10);
  EXPECT_FALSE(c.tensorboard);
  EXPECT_EQ(c.resume_weights, "");
}

TEST(TrainingConfig, ReadsEveryKey) {
  const auto c = read(
      "{total_kimg: 2.5, batch: 8, seed: 3, seed_mode: rank, precision: tf32, layout: plain, "
      "device: gpu, "
      "devices_per_process: 2, cuda_graphs: true, threads: 5, running_means: local, tick_kimg: 1, "
      "samples_every_kimg: 0, grid_rows: 2, grid_columns: 3, max_nonfinite_steps: 0, "
      "tensorboard: true, resume_weights: runs/r1}");
  EXPECT_EQ(c.total_images(), 2500);
  EXPECT_EQ(c.batch, 8);
  EXPECT_EQ(c.seed, 3);
  EXPECT_EQ(c.seed_mode, SeedMode::kRank);
  EXPECT_EQ(c.precision, Precision::kTf32);
  EXPECT_TRUE(c.has_plain_layout);
  EXPECT_EQ(c.device, device::DeviceKind::kGpu);
  EXPECT_EQ(c.devices_per_process, 2);
  EXPECT_TRUE(c.cuda_graphs);
  EXPECT_EQ(c.threads, 5);
  EXPECT_EQ(c.running_means, RunningMeans::kLocal);
  EXPECT_EQ(c.tick_kimg, 1);
  EXPECT_EQ(c.samples_every_kimg, 0);
  EXPECT_EQ(c.grid_rows, 2);
  EXPECT_EQ(c.grid_columns, 3);
  EXPECT_EQ(c.max_nonfinite_steps, 0);
  EXPECT_TRUE(c.tensorboard);
  EXPECT_EQ(c.resume_weights, "runs/r1");
}

TEST(TrainingConfig, KnowsEveryPrecisionAndDevice) {
  const std::map<std::string, Precision> precisions = {{"fp32", Precision::kFp32},
                                                       {"fp64", Precision::kFp64},
                                                       {"tf32", Precision::kTf32},
                                                       {"bf16", Precision::kBf16},
                                                       {"fp16", Precision::kFp16}};
  for (const auto& [name, precision] : precisions) {
    EXPECT_EQ(read("precision: " + name).precision, precision) << name;
  }
  EXPECT_EQ(read("device: cpu").device, device::DeviceKind::kCpu);
  EXPECT_EQ(read("device: auto").device, device::DeviceKind::kAuto);
}

struct Refusal {
  const char* yaml;
  const char* message;
};

class TrainingConfigRefuses : public testing::TestWithParam<Refusal> {};

TEST_P(TrainingConfigRefuses, ImpossibleValues) {
  expect_error(ExitCode::kConfig, std::string("run.yaml:1: ") + GetParam().message,
               [] { read(GetParam().yaml); });
}

INSTANTIATE_TEST_SUITE_P(
    Each, TrainingConfigRefuses,
    testing::Values(Refusal{"total_kimg: 0", "total_kimg: must be greater than 0"},
                    Refusal{"total_kimg: 1e13", "total_kimg: must be at most 1e12"},
                    Refusal{"batch: 0", "batch: must be greater than 0"},
                    Refusal{"batch: 4294967304", "batch: must be at most 2147483647"},
                    Refusal{"seed: -1", "seed: must not be negative"},
                    Refusal{"seed_mode: node", "seed_mode: expected one of [image, rank]"},
                    Refusal{"precision: fp8", "precision: expected one of [fp32, fp64"},
                    Refusal{"device: tpu", "device: expected one of [auto, cpu, gpu]"},
                    Refusal{"devices_per_process: 3", "devices_per_process: must be 1 or 2"},
                    Refusal{"threads: -1", "threads: must not be negative"},
                    Refusal{"running_means: all", "running_means: expected one of"},
                    Refusal{"tick_kimg: 0", "tick_kimg: must be greater than 0"},
                    Refusal{"samples_every_kimg: -1", "samples_every_kimg: must not be negative"},
                    Refusal{"grid_rows: 65", "grid_rows: must be 1 to 64"},
                    Refusal{"grid_columns: 0", "grid_columns: must be 1 to 64"},
                    Refusal{"max_nonfinite_steps: -1", "max_nonfinite_steps: must not be negative"},
                    Refusal{"batches: 4", "unknown key: batches (did you mean batch?)"}));

TEST(RequireDivisibleBatch, CountsThePassesOfAStep) {
  const auto config = read("{batch: 8, accumulate: 2}");
  EXPECT_NO_THROW(require_divisible_batch(config, 4));
  expect_error(ExitCode::kConfig,
               "run.yaml:1: training.batch: must be divisible by the number of ranks times "
               "training.accumulate, 2: 8 on 8 ranks",
               [&] { require_divisible_batch(config, 8); });
}

}  // namespace
}  // namespace ganscale::training
