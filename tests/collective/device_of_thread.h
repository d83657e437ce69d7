#pragma once

#include <c10/cuda/CUDAFunctions.h>

#include <future>

#include "comm/group/watchdog.h"

namespace ganscale::comm {

/// Returns the current device of the thread with which a watchdog watches.
inline at::DeviceIndex device_of_thread(Watchdog& watchdog) {
  std::promise<at::DeviceIndex> device;
  watchdog.watch_until("the device of the thread", [&device] {
    device.set_value(c10::cuda::current_device());
    return true;
  });
  return device.get_future().get();
}

}  // namespace ganscale::comm
