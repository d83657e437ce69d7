// Replaces nccl_group.cpp in a build without CUDA.
#include "base/error.h"
#include "comm/backends/nccl_group.h"

namespace ganscale::comm {

std::unique_ptr<Group> make_nccl_group(std::unique_ptr<Group> /*host*/, c10::Device /*device*/,
                                       std::shared_ptr<Watchdog> /*watchdog*/) {
  throw ConfigError("this build has no NCCL: configure it with -DGANSCALE_CUDA=ON");
}

std::string nccl_version() { return "none"; }

}  // namespace ganscale::comm
