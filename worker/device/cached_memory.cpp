#include "device/cached_memory.h"

#include <c10/core/CachingDeviceAllocator.h>

namespace ganscale::device {

void release_cached_memory(c10::Device device) {
  if (!device.is_cuda()) return;
  c10::DeviceAllocator* allocator = c10::getDeviceAllocator(device.type());
  allocator->emptyCache();
  allocator->resetPeakStats(device.index());
}

}  // namespace ganscale::device
