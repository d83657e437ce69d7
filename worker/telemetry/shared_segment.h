#pragma once

#include <cstddef>
#include <string>

#include "base/non_copyable.h"

namespace ganscale::telemetry {

/// Zeroed memory that `parties` processes (or threads) of one node map under the same name.
///
/// The first party creates it and the last one removes the name, so that no party waits, and a
/// process that is killed later leaves nothing behind. A party that dies before all have mapped it
/// leaves a few KiB in /dev/shm, under a name that no other job uses.
class SharedSegment : NonCopyable {
 public:
  /// Maps the segment. With one party or an empty name it is private memory; also, with a warning,
  /// if the system refuses shared memory: telemetry never stops a training.
  SharedSegment(const std::string& name, std::size_t size_bytes, int parties);
  ~SharedSegment();

  void* data() const { return data_; }

 private:
  std::string path_;  // for shm_open; empty if the memory is private
  std::size_t mapped_bytes_ = 0;
  void* header_ = nullptr;
  void* data_ = nullptr;
  int parties_ = 1;
};

}  // namespace ganscale::telemetry
