#include "training/session/process_context.h"

#include <gtest/gtest.h>

#include "base/log.h"
#include "files/atomic_file.h"
#include "support/temporary_folder.h"
#include "unit/training/parse_text.h"

namespace ganscale::training {
namespace {

/// Opens the one rank of this run on a CPU; returns what it logs.
std::string log_of_opening(RunConfig& config) {
  const TemporaryFolder folder;
  folder.write("log.jsonl", "");
  log::set_file(folder / "log.jsonl");
  open_process_context(config);
  log::set_file({});
  return files::read_file(folder / "log.jsonl");
}

TEST(OpenProcessContext, SaysThatACpuComputesStylegan2InFloat32) {
  for (const std::string precision : {"fp16", "bf16"}) {
    RunConfig config = parse(
        "model: {name: stylegan2}\ntraining: {device: cpu, threads: 1, precision: " + precision +
        "}\n");
    ASSERT_TRUE(config.model.low_precision_type);
    EXPECT_THAT(log_of_opening(config),
                testing::HasSubstr("this model computes in float32 on a CPU"));
    EXPECT_EQ(config.model.low_precision_type, at::kFloat);
  }
}

TEST(OpenProcessContext, IsSilentIfThePrecisionIsAsConfigured) {
  for (const std::string model : {"{name: stylegan2}", "{name: dcgan}"}) {
    RunConfig config =
        parse("model: " + model + "\ntraining: {device: cpu, threads: 1, precision: fp32}\n");
    EXPECT_EQ(log_of_opening(config), "");
  }
}

TEST(CpuThreads, AreTheCoresDividedAmongTheRanksThatShareThem) {
  EXPECT_EQ(cpu_threads(0, {.allowed_cores = 16, .sharing_ranks = 2}, 2), 8);
  EXPECT_EQ(cpu_threads(0, {.allowed_cores = 16}, 1), 16);
}

TEST(CpuThreads, OfABoundRankAreItsOwnCores) {
  EXPECT_EQ(cpu_threads(0, {.allowed_cores = 4}, 4), 4);
}

TEST(CpuThreads, AreWithinTheShareOfTheContainersQuota) {
  EXPECT_EQ(cpu_threads(0, {.allowed_cores = 64, .sharing_ranks = 2, .quota = 8}, 2), 4);
  EXPECT_EQ(cpu_threads(0, {.allowed_cores = 64, .quota = 3.5}, 1), 3);
  EXPECT_EQ(cpu_threads(0, {.allowed_cores = 64, .sharing_ranks = 2, .quota = 0.5}, 2), 1);
  EXPECT_EQ(cpu_threads(0, {.allowed_cores = 2, .quota = 8}, 2), 2);  // bound to fewer
}

TEST(CpuThreads, AreAtLeastOne) {
  EXPECT_EQ(cpu_threads(0, {.allowed_cores = 2, .sharing_ranks = 8}, 8), 1);
}

TEST(CpuThreads, FollowTheConfiguration) {
  EXPECT_EQ(cpu_threads(3, {.allowed_cores = 16, .sharing_ranks = 2}, 2), 3);
}

}  // namespace

}  // namespace ganscale::training
