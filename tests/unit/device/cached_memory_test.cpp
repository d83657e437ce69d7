#include "device/cached_memory.h"

#include <gtest/gtest.h>

#include "support/fake_gpu_allocator.h"

namespace ganscale::device {
namespace {

TEST(ReleaseCachedMemory, EmptiesTheCacheOfGpusAndBeginsThePeakAnew) {
  FakeGpuAllocator& allocator = fake_gpu_allocator();
  release_cached_memory({c10::kCUDA, 0});
  EXPECT_EQ(allocator.emptied, 1);
  EXPECT_EQ(allocator.peaks_reset, 1);
}

TEST(ReleaseCachedMemory, DoesNothingForACpu) {
  FakeGpuAllocator& allocator = fake_gpu_allocator();
  const int before = allocator.emptied;
  release_cached_memory(c10::kCPU);
  EXPECT_EQ(allocator.emptied, before);
}

}  // namespace
}  // namespace ganscale::device
