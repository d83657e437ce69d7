#include "device/select_device.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"

namespace ganscale::device {
namespace {

TEST(SelectDevice, GivesEachLocalRankItsGpu) {
  for (int rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(select_device(DeviceKind::kAuto, rank, 4, 4), c10::Device(c10::kCUDA, rank));
  }
}

TEST(SelectDevice, LeavesGpusWithoutARankAlone) {
  EXPECT_EQ(select_device(DeviceKind::kGpu, 1, 2, 8), c10::Device(c10::kCUDA, 1));
}

TEST(SelectDevice, TakesTheOnlyGpuThatTheLauncherShowsARank) {
  EXPECT_EQ(select_device(DeviceKind::kAuto, 3, 8, 1), c10::Device(c10::kCUDA, 0));
}

TEST(SelectDevice, FallsBackToTheCpuOnlyWhereNoGpuIsAskedFor) {
  EXPECT_EQ(select_device(DeviceKind::kAuto, 0, 1, 0), c10::Device(c10::kCPU));
  expect_error(ExitCode::kDevice, "sees no GPU", [] { select_device(DeviceKind::kGpu, 0, 1, 0); });
}

TEST(SelectDevice, TakesTheCpuWhereItIsAskedFor) {
  EXPECT_EQ(select_device(DeviceKind::kCpu, 5, 8, 4), c10::Device(c10::kCPU));
}

TEST(SelectDevice, RefusesMoreRanksThanGpus) {
  expect_error(ExitCode::kDevice, "8 ranks, 4 GPUs",
               [] { select_device(DeviceKind::kAuto, 0, 8, 4); });
}

}  // namespace
}  // namespace ganscale::device
