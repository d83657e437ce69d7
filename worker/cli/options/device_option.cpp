#include "cli/options/device_option.h"

#include <CLI/CLI.hpp>

#include "device/gpu.h"
#include "device/select_device.h"

namespace ganscale::cli {

void add_device_option(CLI::App& verb, std::string& kind) {
  verb.add_option("--device", kind, "cpu, gpu, or auto: a GPU if there is one")
      ->check(CLI::IsMember({"auto", "cpu", "gpu"}))
      ->capture_default_str();
}

c10::Device open_device(const std::string& kind) {
  const auto device = device::select_device(device::device_kind(kind), /*local_rank=*/0,
                                            /*local_size=*/1, device::visible_gpu_count());
  device::use_device(device);
  device::allow_tf32(false);
  return device;
}

}  // namespace ganscale::cli
