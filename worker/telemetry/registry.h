#pragma once

#include <string>
#include <utility>
#include <vector>

#include "telemetry/family.h"
#include "telemetry/instruments.h"
#include "telemetry/shared_segment.h"

namespace ganscale::telemetry {

/// Identifies a rank in its job and on its node.
struct RegistryOptions {
  std::string run;  ///< the label `run`
  int rank = 0;     ///< in the world; the label `rank`
  int local_rank = 0;
  int local_size = 1;  ///< ranks of this job on this node
  /// Name of the shared memory: the same on all ranks of the job, and different from all other jobs
  /// on the node. Letters, digits, '-'.
  std::string segment;
  /// The labels of ganscale_build_info, in addition to run and rank; empty: no such metric.
  std::vector<std::pair<std::string, std::string>> build = {};
};

inline constexpr const char* kBuildInfoHelp =
    "1, labeled with the versions that the program was built from.";

/// The metrics of all ranks of a node, in shared memory: each rank writes its own Instruments, and
/// local rank 0 collects all of them for the node's only port.
///
/// Shared memory rather than messages: writes cost the training nothing, no other rank has to serve
/// a scrape, and the last values of a rank stay visible after it hung or died. Ranks that are
/// threads of one process use it the same way.
class Registry {
 public:
  explicit Registry(const RegistryOptions& options);

  /// Returns this rank's instruments.
  Instruments& instruments() { return own_->instruments; }

  /// Returns the families of all ranks of the node that have registered so far, labeled by run and
  /// rank. Thread safe. Families without samples are left out.
  std::vector<Family> collect() const;

 private:
  struct Slot {
    std::atomic<int> rank_and_one{0};  // 0: not registered yet
    std::atomic<int> process{0};
    Instruments instruments;
  };

  void add_process_families(std::vector<Family>& families) const;
  void add_build_info(std::vector<Family>& families) const;

  std::string run_;
  std::vector<std::pair<std::string, std::string>> build_;
  int local_size_;
  SharedSegment segment_;
  Slot* slots_ = nullptr;
  Slot* own_ = nullptr;
};

}  // namespace ganscale::telemetry
