#include "comm/open_world.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>

#include "comm/backends/thread_group.h"
#include "support/expect_error.h"

namespace ganscale::comm {
namespace {

CommConfig read(const std::string& yaml) {
  return parse_comm(config::Section(config::parse_yaml(yaml, "run.yaml")));
}

TEST(ParseComm, HasDefaults) {
  const auto config = read("{}");
  EXPECT_EQ(config.backend, Backend::kAuto);
  EXPECT_EQ(config.bucket_bytes, 25'000'000);
  EXPECT_EQ(config.timeout_seconds, 600);
  EXPECT_EQ(config.expected_world_size, 0);
}

TEST(ParseComm, ReadsUnits) {
  const auto config =
      read("{bucket_bytes: 1MiB, timeout: 2m, backend: mpi, expected_world_size: 8}");
  EXPECT_EQ(config.bucket_bytes, 1 << 20);
  EXPECT_EQ(config.timeout_seconds, 120);
  EXPECT_EQ(config.backend, Backend::kMpi);
  EXPECT_EQ(config.expected_world_size, 8);
}

TEST(ParseComm, RefusesImpossibleValues) {
  expect_error(ExitCode::kConfig, "bucket_bytes", [] { read("{bucket_bytes: 0}"); });
  for (const char* timeout : {"0s", "0.9ms", "999999d"}) {
    expect_error(ExitCode::kConfig, "timeout: must be between 1ms and 1000000000s",
                 [&] { read("{timeout: " + std::string(timeout) + "}"); });
  }
  expect_error(ExitCode::kConfig, "expected_world_size", [] { read("{expected_world_size: -1}"); });
  expect_error(ExitCode::kConfig, "backend", [] { read("{backend: gloo}"); });
  expect_error(ExitCode::kConfig, "time_out", [] { read("{time_out: 3s}"); });
}

TEST(ParseComm, TakesTimeoutsThatAClockCanMeasure) {
  using std::chrono::milliseconds;
  EXPECT_EQ(read("{timeout: 1ms}").timeout(), milliseconds(1));
  const milliseconds longest = read("{timeout: 1000000000s}").timeout();
  EXPECT_EQ(longest, std::chrono::seconds(1'000'000'000));
  EXPECT_GT(std::chrono::nanoseconds(longest).count(), 0);
}

TEST(CheckWorldSize, AcceptsTheExpectedSizeOrAnySizeIfNoneIsExpected) {
  check_world_size(8, 8, "8");
  check_world_size(8, 0, std::nullopt);
}

TEST(CheckWorldSize, RefusesAnotherSizeAndSaysWhy) {
  expect_error(ExitCode::kConfig, "Open MPI 5 ignores the orte_* settings",
               [] { check_world_size(1, 8, std::nullopt); });
  expect_error(ExitCode::kConfig,
               "GANSCALE_EXPECTED_WORLD_SIZE expects 8 ranks, but this world has 1",
               [] { check_world_size(1, 0, "8"); });
  expect_error(ExitCode::kConfig, "not a number of ranks: many",
               [] { check_world_size(1, 0, "many"); });
}

TEST(OpenWorld, IsOneRankWithoutALauncher) {
  const auto world = open_world({});
  EXPECT_EQ(world.group->size(), 1);
  EXPECT_EQ(world.group->rank(), 0);
  EXPECT_EQ(world.rank_info.local_rank, 0);
  EXPECT_EQ(world.rank_info.local_size, 1);
}

TEST(OpenWorld, RefusesABackEndThatNeedsRanks) {
  expect_error(ExitCode::kConfig, "start with mpirun", [] { open_world(read("{backend: nccl}")); });
}

TEST(OpenWorld, ChecksTheSizeThatTheEnvironmentExpects) {
  setenv("GANSCALE_EXPECTED_WORLD_SIZE", "4", 1);
  expect_error(ExitCode::kConfig, "expects 4 ranks", [] { open_world({}); });
  unsetenv("GANSCALE_EXPECTED_WORLD_SIZE");
}

TEST(AddDevice, NeedsNothingForACpuOrASingleRank) {
  auto world = open_world({});
  const auto* before = world.group.get();
  add_device(world, {}, c10::kCPU);
  add_device(world, {}, c10::Device(c10::kCUDA, 0));
  EXPECT_EQ(world.group.get(), before);
}

TEST(AddDevice, NeedsNothingForRanksThatAllHaveNoGpu) {
  run_ranks(3, [](Group& group) {
    World world{.group = group.split(0), .rank_info = {}, .watchdog = nullptr};
    EXPECT_NO_THROW(add_device(world, {}, c10::kCPU));
    EXPECT_EQ(world.group->backend(), "threads");
  });
}

// Rank 0 waits for rank 1 then, or finds no GPU on this machine.
TEST(AddDevice, RefusesARankWithoutAGpuIfOthersHaveOne) {
  const auto add = [](Group& group) {
    World world{.group = group.split(0), .rank_info = {}, .watchdog = nullptr};
    if (group.rank() == 0) {
      add_device(world, {}, c10::Device(c10::kCUDA, 0));
      return;
    }
    expect_error(ExitCode::kDevice, "this rank sees no GPU on ",
                 [&] { add_device(world, {}, c10::kCPU); });
    throw PeerLost("ends rank 0, too");
  };
  EXPECT_ANY_THROW(run_ranks(2, add));
}

TEST(AddDevice, RefusesABackEndThatDoesNotFit) {
  auto world = open_world({});
  const auto with = [](Backend backend) {
    CommConfig config;
    config.backend = backend;
    return config;
  };
  expect_error(ExitCode::kConfig, "needs a GPU",
               [&] { add_device(world, with(Backend::kNccl), c10::kCPU); });
  expect_error(ExitCode::kConfig, "does not support GPUs",
               [&] { add_device(world, with(Backend::kMpi), c10::Device(c10::kCUDA, 0)); });
}

}  // namespace
}  // namespace ganscale::comm
