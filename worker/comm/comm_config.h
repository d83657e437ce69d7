#pragma once

#include <cstdint>
#include <string>

#include "config/section.h"

namespace ganscale::comm {

struct CommConfig {
  std::string backend = "auto";  ///< auto, single, mpi or nccl
  std::int64_t bucket_bytes = 25'000'000;
  double timeout_seconds = 600;
  int expected_world_size = 0;  ///< 0: any
};

/// Reads the section `comm`.
CommConfig parse_comm(config::Section in);

}  // namespace ganscale::comm
