#include "comm/preflight/node_fabric.h"

#include <dlfcn.h>

#include <algorithm>
#include <fstream>

#include "base/host.h"

namespace ganscale::comm {
namespace {

namespace fs = std::filesystem;

/// Returns the names in a folder, sorted; none if it can't be read.
std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    names.push_back(entry->path().filename());
  }
  std::ranges::sort(names);
  return names;
}

/// Whether a port of a card is up: its state is "4: ACTIVE" then.
bool is_active(const fs::path& card) {
  const fs::path ports = card / "ports";
  return std::ranges::any_of(names_in(ports), [&](const std::string& port) {
    std::string state;
    std::getline(std::ifstream(ports / port / "state"), state);
    return state.starts_with("4:");
  });
}

/// Asks the driver of the first GPU, which a build without CUDA can do as well.
bool driver_has_dmabuf() {
  constexpr int kDmaBufSupported = 124;  // CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED
  void* driver = ::dlopen("libcuda.so.1", RTLD_LAZY);
  if (driver == nullptr) return false;
  const auto initialize = reinterpret_cast<int (*)(unsigned)>(::dlsym(driver, "cuInit"));
  const auto attribute =
      reinterpret_cast<int (*)(int*, int, int)>(::dlsym(driver, "cuDeviceGetAttribute"));
  int supported = 0;
  if (initialize == nullptr || attribute == nullptr || initialize(0) != 0) return false;
  return attribute(&supported, kDmaBufSupported, 0) == 0 && supported != 0;
}

std::string gpu_direct(const fs::path& root) {
  if (fs::exists(root / "sys/module/nvidia_peermem")) return "peermem";
  return driver_has_dmabuf() ? "dmabuf" : "none";
}

}  // namespace

NodeFabric read_node_fabric(bool uses_gpu, const fs::path& root) {
  NodeFabric node{.host = host_name()};
  const fs::path cards = root / "sys/class/infiniband";
  for (const std::string& card : names_in(cards)) {
    if (is_active(cards / card)) {
      ++node.active_hcas;
    } else {
      node.down_hcas.push_back(card);
    }
  }
  if (uses_gpu) node.gpu_direct = gpu_direct(root);
  return node;
}

}  // namespace ganscale::comm
