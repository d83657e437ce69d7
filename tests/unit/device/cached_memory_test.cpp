#include "device/cached_memory.h"

#include <gtest/gtest.h>

#include "support/fake_gpu_allocator.h"

namespace ganscale::device {
namespace {

/// Counts from the beginning of a test.
FakeGpuAllocator& new_counts() {
  FakeGpuAllocator& allocator = fake_gpu_allocator();
  allocator.emptied = allocator.peaks_reset = 0;
  return allocator;
}

TEST(ReleaseCachedMemory, EmptiesTheCacheOfGpusAndBeginsThePeakAnew) {
  const FakeGpuAllocator& allocator = new_counts();
  release_cached_memory({c10::kCUDA, 0});
  EXPECT_EQ(allocator.emptied, 1);
  EXPECT_EQ(allocator.peaks_reset, 1);
}

TEST(ForgetPeakMemory, LeavesTheCacheAsItIs) {
  const FakeGpuAllocator& allocator = new_counts();
  forget_peak_memory({c10::kCUDA, 0});
  EXPECT_EQ(allocator.emptied, 0);
  EXPECT_EQ(allocator.peaks_reset, 1);
}

TEST(CachedMemory, IsLeftAloneOfACpu) {
  const FakeGpuAllocator& allocator = new_counts();
  release_cached_memory(c10::kCPU);
  forget_peak_memory(c10::kCPU);
  EXPECT_EQ(allocator.emptied, 0);
  EXPECT_EQ(allocator.peaks_reset, 0);
}

}  // namespace
}  // namespace ganscale::device
