#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ganscale::checkpoint {

/// Whether lower or higher values of a metric are better.
enum class Better { kLower, kHigher };

/// Returns the direction of a metric by its name: lower is better for fid, kid and ppl,
/// higher for is, pr and dc. Returns nothing for other names.
std::optional<Better> better_direction(std::string_view metric);

/// A checkpoint as the retention policy sees it.
struct RetentionCandidate {
  std::string name;
  std::int64_t images_seen = 0;
  bool valid = true;
  std::optional<double> metric{};  ///< the value that decides; empty if not measured
};

/// Which checkpoints to keep.
struct RetentionPolicy {
  int keep_last = 0;               ///< how many of the newest valid ones; 0: all
  std::optional<Better> better{};  ///< of the metric that decides; empty: none does
  int keep_best = 1;               ///< how many of the best measured ones
};

/// Returns the names of the checkpoints to delete, oldest first.
///
/// Keeps the newest valid ones, the best measured ones (the older one on a tie), and everything
/// newer than the newest valid one. So the newest valid one always stays, and an invalid one is
/// deleted only after a newer valid one exists.
std::vector<std::string> checkpoints_to_delete(std::vector<RetentionCandidate> candidates,
                                               const RetentionPolicy& policy);

}  // namespace ganscale::checkpoint
