#include "device/select_device.h"

#include <gtest/gtest.h>

#include "device/gpu.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

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

TEST(SelectDevice, FallsBackToTheCpuOnlyIfNoGpuIsRequested) {
  EXPECT_EQ(select_device(DeviceKind::kAuto, 0, 1, 0), c10::Device(c10::kCPU));
  expect_error(ExitCode::kDevice, "sees none", [] { select_device(DeviceKind::kGpu, 0, 1, 0); });
}

TEST(SelectDevice, SaysWhatTheBuildNeeds) {
  const std::string need =
      has_cuda() ? "this build needs a driver for CUDA 13."
                 : "this build has no CUDA: build it with make cuda, or install the CUDA wheel: ";
  expect_error(
      ExitCode::kDevice,
      "training.device, or --device: a GPU was requested, but this rank sees none; " + need,
      [] { select_device(DeviceKind::kGpu, 1, 2, 0); });
  expect_error(ExitCode::kDevice, ": local rank 1",
               [] { select_device(DeviceKind::kGpu, 1, 2, 0); });
}

/// A machine that no variable of the environment keeps from its GPUs.
class LeavesGpusUnused : public testing::Test {
 protected:
  LeavesGpusUnused() { clear(); }
  ~LeavesGpusUnused() override { clear(); }

  bool with_cuda() const { return leaves_gpus_unused(true, 0, root.path()); }
  bool without_cuda() const { return leaves_gpus_unused(false, 0, root.path()); }

  const TemporaryFolder root;

 private:
  static void clear() {
    unsetenv("CUDA_VISIBLE_DEVICES");
    unsetenv("NVIDIA_VISIBLE_DEVICES");
  }
};

TEST_F(LeavesGpusUnused, IfTheMachineHasOneAndTheBuildNoCudaOrTheDriverIsTooOld) {
  EXPECT_FALSE(with_cuda());
  EXPECT_FALSE(without_cuda());
  root.write("dev/nvidia0", "");
  EXPECT_TRUE(with_cuda());
  EXPECT_TRUE(without_cuda());
  EXPECT_FALSE(leaves_gpus_unused(true, /*visible_gpu_count=*/1, root.path()));
}

TEST_F(LeavesGpusUnused, IfTheMachineHasADriverAndTheBuildNoCuda) {
  root.write("proc/driver/nvidia/version", "");
  EXPECT_TRUE(without_cuda());
  EXPECT_FALSE(with_cuda()) << "a container may have none of the machine's GPUs";
}

TEST_F(LeavesGpusUnused, UnlessTheEnvironmentHidesThem) {
  root.write("dev/nvidia0", "");
  setenv("NVIDIA_VISIBLE_DEVICES", "all", 1);
  EXPECT_TRUE(with_cuda());
  setenv("NVIDIA_VISIBLE_DEVICES", "void", 1);
  EXPECT_FALSE(with_cuda());
  unsetenv("NVIDIA_VISIBLE_DEVICES");
  for (const char* list : {"", "-1", "none"}) {
    setenv("CUDA_VISIBLE_DEVICES", list, 1);
    EXPECT_FALSE(with_cuda()) << list;
  }
  for (const char* list : {"0", "3,-1", "GPU-8932f937", "MIG-1f4a"}) {
    setenv("CUDA_VISIBLE_DEVICES", list, 1);
    EXPECT_TRUE(with_cuda()) << list;
  }
}

TEST(SelectDevice, TakesTheCpuIfConfigured) {
  EXPECT_EQ(select_device(DeviceKind::kCpu, 5, 8, 4), c10::Device(c10::kCPU));
}

TEST(SelectDevice, RefusesMoreRanksThanGpus) {
  expect_error(ExitCode::kDevice, "8 ranks, 4 GPUs",
               [] { select_device(DeviceKind::kAuto, 0, 8, 4); });
}

TEST(SelectTwoDevices, GivesEachLocalRankAPairOfGpus) {
  const auto gpu = [](c10::DeviceIndex index) { return c10::Device(c10::kCUDA, index); };
  EXPECT_EQ(select_two_devices(DeviceKind::kAuto, 0, 1, 8), NetworkDevices(gpu(0), gpu(1)));
  EXPECT_EQ(select_two_devices(DeviceKind::kAuto, 0, 4, 8), NetworkDevices(gpu(0), gpu(1)));
  EXPECT_EQ(select_two_devices(DeviceKind::kGpu, 3, 4, 8), NetworkDevices(gpu(6), gpu(7)));
}

TEST(SelectTwoDevices, TakesTheOnlyTwoThatTheLauncherShowsARank) {
  const NetworkDevices both({c10::kCUDA, 0}, {c10::kCUDA, 1});
  EXPECT_EQ(select_two_devices(DeviceKind::kAuto, 3, 4, 2), both);
}

TEST(SelectTwoDevices, RefusesFewerGpus) {
  expect_error(ExitCode::kDevice,
               "needs two GPUs per rank; start fewer ranks, or use 1: 1 ranks, 0",
               [] { select_two_devices(DeviceKind::kAuto, 0, 1, 0); });
  expect_error(ExitCode::kDevice, "1 ranks, 1 GPUs",
               [] { select_two_devices(DeviceKind::kGpu, 0, 1, 1); });
  expect_error(ExitCode::kDevice, "4 ranks, 7 GPUs",
               [] { select_two_devices(DeviceKind::kGpu, 0, 4, 7); });
  expect_error(ExitCode::kConfig, "training.device is cpu",
               [] { select_two_devices(DeviceKind::kCpu, 0, 1, 2); });
}

constexpr ComputeCapability kV100{7, 0};
constexpr ComputeCapability kA100{8, 0};
constexpr ComputeCapability kL40{8, 9};
constexpr ComputeCapability kH100{9, 0};
constexpr ComputeCapability kB200{10, 0};

TEST(RequireKernelsFor, TakesGpusOfTheBuildsArchitecturesAndLaterOnesOfTheSameMajor) {
  for (const auto gpu : {kA100, kL40, kH100}) {
    EXPECT_NO_THROW(require_kernels_for("GPU", gpu, "80-real,90-real"));
  }
  expect_error(ExitCode::kConfig, "compute capability 9.0; they are for 80-real.",
               [] { require_kernels_for("H100", kH100, "80-real"); });
}

TEST(RequireKernelsFor, TakesLaterGenerationsIfTheBuildHasCodeThatTheyCompile) {
  EXPECT_NO_THROW(require_kernels_for("B200", kB200, "80-real,90"));
  expect_error(ExitCode::kConfig, "no kernels for the GPU B200",
               [] { require_kernels_for("B200", kB200, "80-real,90-real"); });
}

TEST(RequireKernelsFor, RefusesEarlierGenerationsWithWordsOfWhatToDo) {
  expect_error(ExitCode::kConfig, "-DCMAKE_CUDA_ARCHITECTURES=70",
               [] { require_kernels_for("Tesla V100", kV100, "80-real,90"); });
  expect_error(ExitCode::kConfig, "no kernels for the GPU A100",
               [] { require_kernels_for("A100", kA100, "89"); });
}

TEST(RequireKernelsFor, TakesWhatItIsNotToldTheArchitecturesOf) {
  for (const char* architectures : {"native", "all", "all-major", ""}) {
    EXPECT_NO_THROW(require_kernels_for("Tesla V100", kV100, architectures));
  }
}

}  // namespace
}  // namespace ganscale::device
