#include "device/cached_memory.h"

#include <c10/core/CachingDeviceAllocator.h>

namespace ganscale::device {

void forget_peak_memory(c10::Device device) {
  if (device.is_cuda()) c10::getDeviceAllocator(device.type())->resetPeakStats(device.index());
}

void release_cached_memory(c10::Device device) {
  if (!device.is_cuda()) return;
  c10::getDeviceAllocator(device.type())->emptyCache();
  forget_peak_memory(device);
}

}  // namespace ganscale::device
