// LibTorch without a GPU: its own stand-in for devices, and hooks in place of libtorch_cuda's.
#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/FakeGuardImpl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <set>

#include "data/loader/prefetcher.h"
#include "unit/data/fake_source.h"

namespace ganscale::data {
namespace {

using FakeGpus = c10::impl::FakeGuardImpl<c10::DeviceType::CUDA>;
C10_REGISTER_GUARD_IMPL(CUDA, FakeGpus)

/// Stands in for the allocator of pinned memory: notes the devices with which it calls CUDA.
class PinnedMemory : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t size_bytes) override {
    const std::scoped_lock lock(mutex_);
    devices_.insert(FakeGpus::getDeviceIndex());
    return c10::GetCPUAllocator()->allocate(size_bytes);
  }
  void copy_data(void* to, const void* from, std::size_t size_bytes) const override {
    default_copy_data(to, from, size_bytes);
  }

  std::set<c10::DeviceIndex> devices() {
    const std::scoped_lock lock(mutex_);
    return devices_;
  }

 private:
  std::mutex mutex_;
  std::set<c10::DeviceIndex> devices_;
};

PinnedMemory& pinned_memory() {
  static PinnedMemory allocator;
  return allocator;
}

/// LibTorch looks them up by this name.
struct CUDAHooks : at::CUDAHooksInterface {
  explicit CUDAHooks(at::CUDAHooksArgs /*none*/) {}
  void init() const override {}
  bool hasCUDA() const override { return true; }
  c10::Allocator* getPinnedMemoryAllocator() const override { return &pinned_memory(); }
};
using at::CUDAHooksRegistry;
using at::RegistererCUDAHooksRegistry;
REGISTER_CUDA_HOOKS(CUDAHooks)

TEST(Prefetcher, AsksNoGpuOfAnotherRankForPinnedMemory) {
  const FakeSource source(50, /*label_count=*/3);
  LoaderOptions options;
  options.share.batch_per_rank = 4;
  options.label_count = 3;
  options.device = {c10::kCUDA, 1};
  options.prefetch.reader_threads = 2;
  options.prefetch.congestion_aware = false;
  Prefetcher prefetcher(source, ShardPlan(50, /*seed=*/1, /*shuffle=*/true),
                        {.channels = 1, .resolution = 2}, options);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(prefetcher.next().labels.size(0), 4);
  EXPECT_THAT(pinned_memory().devices(), testing::ElementsAre(1));
}

}  // namespace
}  // namespace ganscale::data
