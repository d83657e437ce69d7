#include "device/translate_errors.h"

#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>

#include "support/expect_error.h"

namespace ganscale::device {
namespace {

constexpr c10::SourceLocation kHere{"translate_errors_test", "file", 1};

TEST(TranslateErrors, MakesAFailedDeviceADeviceError) {
  expect_error(ExitCode::kDevice, "a device failed: CUDA error: uncorrectable ECC error", [] {
    translate_errors([] {
      throw c10::AcceleratorError(kHere, 214, "CUDA error: uncorrectable ECC error encountered");
    });
  });
}

// LibTorch throws them as a plain error, or with a type that only a build with CUDA knows.
TEST(TranslateErrors, MakesADeviceErrorOfADeviceThatFailsUnderALibrary) {
  for (const std::string what :
       {"CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling `cublasSgemm(handle, opa, opb)`",
        "CUDA error: CUBLAS_STATUS_INTERNAL_ERROR when calling `cublasGemmEx(handle)`",
        "cuDNN error: CUDNN_STATUS_EXECUTION_FAILED",
        "cuDNN error: CUDNN_STATUS_EXECUTION_FAILED_CUDART",
        "cuDNN error: CUDNN_STATUS_INTERNAL_ERROR",
        "cusolver error: CUSOLVER_STATUS_EXECUTION_FAILED, when calling `cusolverDnXsyevd()`"}) {
    expect_error(ExitCode::kDevice, "a device failed: " + what,
                 [&] { translate_errors([&] { throw c10::Error(kHere, what); }); });
  }
}

TEST(TranslateErrors, TakesOtherErrorsOfALibraryForNoFailedDevice) {
  for (const std::string what :
       {"CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`",
        "CUDA error: CUBLAS_STATUS_INVALID_VALUE when calling `cublasSgemm(handle)`",
        "cuDNN error: CUDNN_STATUS_NOT_SUPPORTED",
        "cuDNN error: CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED"}) {
    EXPECT_THROW(translate_errors([&] { throw c10::Error(kHere, what); }), c10::Error) << what;
  }
}

TEST(TranslateErrors, NamesWhatToLowerWhenAGpuIsOutOfMemoryAndDoesNotRetry) {
  const auto allocate_too_much = [] {
    throw c10::OutOfMemoryError(kHere, "CUDA out of memory. Tried to allocate 2.00 GiB.");
  };
  expect_error(ExitCode::kBug, "out of a GPU's memory: use a smaller batch",
               [&] { translate_errors(allocate_too_much); });
  expect_error(ExitCode::kBug, ": CUDA out of memory. Tried to allocate 2.00 GiB.",
               [&] { translate_errors(allocate_too_much); });
}

TEST(TranslateErrors, NamesWhatToLowerWhenTheHostIsOutOfMemory) {
  expect_error(ExitCode::kBug, "fewer data.prefetch.batches",
               [] { translate_errors([] { throw std::bad_alloc(); }); });
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers end a program that asks for so much";
#endif
  const auto allocate_too_much = [] { at::empty({std::int64_t{1} << 50}, at::kByte); };
  expect_error(ExitCode::kBug, "out of the host's memory: use a smaller training.batch",
               [&] { translate_errors(allocate_too_much); });
  expect_error(ExitCode::kBug, ": DefaultCPUAllocator: can't allocate memory: you tried",
               [&] { translate_errors(allocate_too_much); });
}

TEST(TranslateErrors, LeavesAllOtherErrors) {
  EXPECT_THROW(translate_errors([] { throw c10::Error(kHere, "sizes differ"); }), c10::Error);
  expect_error(ExitCode::kData, "a record",
               [] { translate_errors([] { throw DataError("a record"); }); });
  EXPECT_NO_THROW(translate_errors([] {}));
}

TEST(OutOfMemoryText, ReportsPeakAndReservedMemoryOfTheGpusInUse) {
  constexpr std::int64_t kGibibyte = 1 << 30;
  const std::vector<DeviceMemory> gpus = {
      {}, {60 * kGibibyte, 70 * kGibibyte, 75 * kGibibyte, 80 * kGibibyte}};
  const std::string text = out_of_memory_text("the allocator's words", gpus);
  EXPECT_THAT(text,
              testing::EndsWith("training.precision: cuda:1 had at most 70.0 GiB allocated, and "
                                "75.0 GiB reserved of 80.0 GiB: the allocator's words"));
}

}  // namespace
}  // namespace ganscale::device
