#include "device/gpu_generation.h"

#include "support/expect_error.h"

namespace ganscale::device {
namespace {

constexpr ComputeCapability kV100{7, 0};
constexpr ComputeCapability kA100{8, 0};
constexpr ComputeCapability kL40{8, 9};
constexpr ComputeCapability kH100{9, 0};
constexpr ComputeCapability kB200{10, 0};

TEST(GpuGeneration, TakesGpusOfTheBuildsArchitecturesAndLaterOnesOfTheSameMajor) {
  for (const auto gpu : {kA100, kL40, kH100}) {
    EXPECT_NO_THROW(require_kernels_for("GPU", gpu, "80-real,90-real"));
  }
  expect_error(ExitCode::kConfig, "compute capability 9.0; they are for 80-real.",
               [] { require_kernels_for("H100", kH100, "80-real"); });
}

TEST(GpuGeneration, TakesLaterGenerationsIfTheBuildHasCodeThatTheyCompile) {
  EXPECT_NO_THROW(require_kernels_for("B200", kB200, "80-real,90"));
  expect_error(ExitCode::kConfig, "no kernels for the GPU B200",
               [] { require_kernels_for("B200", kB200, "80-real,90-real"); });
}

TEST(GpuGeneration, RefusesEarlierGenerationsWithWordsOfWhatToDo) {
  expect_error(ExitCode::kConfig, "-DCMAKE_CUDA_ARCHITECTURES=70",
               [] { require_kernels_for("Tesla V100", kV100, "80-real,90"); });
  expect_error(ExitCode::kConfig, "no kernels for the GPU A100",
               [] { require_kernels_for("A100", kA100, "89"); });
}

TEST(GpuGeneration, TakesWhatItIsNotToldTheArchitecturesOf) {
  for (const char* architectures : {"native", "all", "all-major", ""}) {
    EXPECT_NO_THROW(require_kernels_for("Tesla V100", kV100, architectures));
  }
}

}  // namespace
}  // namespace ganscale::device
