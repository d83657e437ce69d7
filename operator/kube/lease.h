#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "object/json.h"

namespace ganscale::controller {

/// Returns the holder of a Lease; empty if there is none.
std::string holder_of(const Json& lease);

/// What to do about a Lease as it was read.
enum class LeaseMove { kCreate, kRenew, kTake, kWait };

/// Follows the holder of a Lease by the clock of this machine: what counts is how long the
/// Lease has been seen unchanged, never the times that others wrote into it.
class LeaseWatcher {
 public:
  using Moment = std::chrono::steady_clock::time_point;

  explicit LeaseWatcher(std::string identity) : identity_(std::move(identity)) {}

  /// lease: as it is now; nothing if there is none.
  LeaseMove next_move(const std::optional<Json>& lease, Moment now);

 private:
  std::string identity_;
  std::string seen_;  ///< resource version
  Moment changed_;
};

}  // namespace ganscale::controller
