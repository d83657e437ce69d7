#pragma once

#include <chrono>
#include <cstdint>

#include "base/enum_names.h"
#include "config/section.h"

namespace ganscale::comm {

/// How the ranks communicate.
enum class Backend {
  kAuto,    ///< NCCL for GPUs, otherwise MPI
  kSingle,  ///< one rank, without a launcher
  kMpi,
  kNccl,
};

inline constexpr EnumNames<Backend, 4> kBackends{{{Backend::kAuto, "auto"},
                                                  {Backend::kSingle, "single"},
                                                  {Backend::kMpi, "mpi"},
                                                  {Backend::kNccl, "nccl"}}};

struct CommConfig {
  Backend backend = Backend::kAuto;
  std::int64_t bucket_bytes = 25'000'000;
  double timeout_seconds = 600;
  int expected_world_size = 0;  ///< 0: any

  std::chrono::milliseconds timeout() const {
    return std::chrono::milliseconds(static_cast<std::int64_t>(timeout_seconds * 1000));
  }
};

/// Reads the section `comm`.
CommConfig parse_comm(config::Section in);

}  // namespace ganscale::comm
