#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ganscale::checkpoint {

/// Which values of a metric are the better ones.
enum class Better { kLower, kHigher };

/// Returns the direction of a metric by its name: fid, class_fid, kid and ppl are better when
/// lower, is, pr and dc when higher; nothing for other names.
std::optional<Better> better_direction(std::string_view metric);

/// A checkpoint as the rule of retention sees it.
struct RetentionCandidate {
  std::string name;
  std::int64_t images_seen = 0;
  bool valid = true;
  std::optional<double> metric;  ///< of the metric that decides; nothing if it wasn't measured
};

/// Returns the names of the checkpoints to delete, the oldest first.
///
/// Kept are the newest `keep_last` valid ones (0: all), the best by `better` among those that were
/// measured (the older one of equals), and whatever is newer than the newest valid one: so the
/// newest valid one always stays, and an invalid one goes only after a valid one has followed it.
std::vector<std::string> checkpoints_to_delete(std::vector<RetentionCandidate> candidates,
                                               int keep_last, std::optional<Better> better);

}  // namespace ganscale::checkpoint
