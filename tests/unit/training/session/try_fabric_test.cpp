#include "training/session/try_fabric.h"

#include "comm/backends/thread_group.h"
#include "support/expect_error.h"

namespace ganscale::training {
namespace {

/// No network has this floor.
PreflightOptions too_much_of(PreflightMode mode) {
  return {.mode = mode, .required = {.floor_gigabytes_per_second = 9999, .hcas = 0}};
}

TEST(TryFabric, MeasuresNothingUnlessRank0IsAskedTo) {
  comm::run_ranks(2, [](comm::Group& group) {
    const auto mode = group.rank() == 0 ? PreflightMode::kOff : PreflightMode::kRequire;
    EXPECT_FALSE(try_fabric(group, at::kCPU, too_much_of(mode)).has_value());
  });
}

TEST(TryFabric, RequiresOnAllRanksWhatRank0IsAskedTo) {
  testing::internal::CaptureStdout();
  comm::run_ranks(2, [](comm::Group& group) {
    const PreflightOptions own =
        group.rank() == 0 ? too_much_of(PreflightMode::kRequire) : PreflightOptions();
    expect_error(ExitCode::kFabric, "below the floor of 9999 GB/s",
                 [&] { try_fabric(group, at::kCPU, own); });
  });
  testing::internal::GetCapturedStdout();
}

TEST(TryFabric, MeasuresNothingForASingleRank) {
  const auto alone = comm::make_single_group();
  EXPECT_FALSE(try_fabric(*alone, at::kCPU, too_much_of(PreflightMode::kRequire)).has_value());
}

}  // namespace
}  // namespace ganscale::training
