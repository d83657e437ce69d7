#pragma once

#include <string>
#include <vector>

#include "telemetry/family.h"
#include "telemetry/instruments.h"
#include "telemetry/shared_segment.h"

namespace ganscale::telemetry {

/// Where a rank stands in its job and on its node.
struct RegistryOptions {
  std::string run;  ///< the label `run`
  int rank = 0;     ///< in the world; the label `rank`
  int local_rank = 0;
  int local_size = 1;  ///< ranks of this job on this node
  /// The same word on all ranks of the job and on no other job of the node: letters, digits, '-'.
  std::string segment;
};

/// The numbers of all ranks of one node, in shared memory: each rank writes its own Instruments,
/// and local rank 0 collects those of all for the node's one port.
///
/// Why memory and not messages: writing costs nothing on the training's path, no rank answers a
/// scrape, and what a rank measured last is still visible after it hung or died. Ranks that are
/// threads of one process use it in the same way.
class Registry {
 public:
  explicit Registry(const RegistryOptions& options);

  /// This rank's numbers.
  Instruments& instruments() { return own_->instruments; }

  /// Returns the families of every rank of the node that has come so far, all of them labeled run
  /// and rank. Safe at any time from any thread. A family without samples is left out.
  std::vector<Family> collect() const;

 private:
  struct Slot {
    std::atomic<int> rank_and_one{0};  // 0: nobody has come yet
    std::atomic<int> process{0};
    Instruments instruments;
  };

  void add_process_families(std::vector<Family>& families) const;

  std::string run_;
  int local_size_;
  SharedSegment segment_;
  Slot* slots_ = nullptr;
  Slot* own_ = nullptr;
};

}  // namespace ganscale::telemetry
