#pragma once

#include <c10/core/CachingDeviceAllocator.h>

#include <cstdint>

namespace ganscale {

/// Stands for the allocator of GPUs in a test without one: counts what it is asked to do.
class FakeGpuAllocator : public c10::DeviceAllocator {
 public:
  /// Registers itself; it must outlive all other users of LibTorch.
  FakeGpuAllocator() { c10::SetAllocator(c10::kCUDA, this, /*priority=*/UINT8_MAX); }

  int emptied = 0;
  int peaks_reset = 0;

  bool initialized() override { return true; }
  void emptyCache(c10::MempoolId_t /*pool*/) override { ++emptied; }
  void recordStream(const c10::DataPtr& /*data*/, c10::Stream /*stream*/) override {}
  c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex /*device*/) override {
    return {};
  }
  void resetAccumulatedStats(c10::DeviceIndex /*device*/) override {}
  void resetPeakStats(c10::DeviceIndex /*device*/) override { ++peaks_reset; }
  c10::DataPtr allocate(std::size_t /*size_bytes*/) override { return {}; }
  void copy_data(void* /*to*/, const void* /*from*/, std::size_t /*size_bytes*/) const override {}
};

/// Returns the one of this program.
inline FakeGpuAllocator& fake_gpu_allocator() {
  static FakeGpuAllocator allocator;
  return allocator;
}

}  // namespace ganscale
