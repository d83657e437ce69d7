#pragma once

#include <array>
#include <string_view>

namespace ganscale::wire {

/// What the ranks of a training share, and with whom.
enum class Sharing {
  kBatch,   ///< all ranks share each batch: their number divides it
  kRoles,   ///< the ranks that train the same network share each batch: see role_plan.h
  kLabels,  ///< each rank has labels of its own, and whole batches of them
};

/// What other programs must know about a scheme: its value of scheme.name, and what it shares.
struct Scheme {
  std::string_view name;
  Sharing sharing;
};

inline constexpr Scheme kSynchronous{"synchronous", Sharing::kBatch};
inline constexpr Scheme kAsynchronous{"asynchronous", Sharing::kRoles};
inline constexpr Scheme kPerLabel{"per_label", Sharing::kLabels};

/// The table of schemes; the first is the default.
inline constexpr std::array kSchemes{kSynchronous, kAsynchronous, kPerLabel};

/// Returns what the ranks of a scheme share; a name that is not in the table gives the value of the
/// first.
constexpr Sharing sharing_of(std::string_view scheme_name) {
  for (const Scheme& scheme : kSchemes) {
    if (scheme.name == scheme_name) return scheme.sharing;
  }
  return kSchemes.front().sharing;
}

}  // namespace ganscale::wire
