#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "kube/client.h"

namespace ganscale::controller {

/// Writes a time with microseconds, as a Lease demands.
std::string format_micro_time(std::chrono::system_clock::time_point time);

/// Who leads, and for how long without a sign of life.
struct LeaseTimes {
  std::chrono::milliseconds duration{15000};  ///< after that without renewal, another may take over
  std::chrono::milliseconds deadline{10000};  ///< the leader gives up if it could not renew so long
  std::chrono::milliseconds retry{2000};
};

/// What one look at the Lease says.
enum class LeaseMove { kCreate, kRenew, kTake, kWait };

/// Judges how the Lease's holder does by the clock of this machine: what counts is how long the
/// Lease has not changed before our eyes, never the times that others wrote into it.
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

/// Takes part in the election and leads when it can.
class LeaderElector {
 public:
  LeaderElector(Client& client, Key lease, std::string identity, LeaseTimes times);

  /// Returns once this process leads, or false once `stopped` says so.
  bool wait_to_lead(const std::function<bool()>& stopped);
  /// Renews until `stopped` says so, and then gives the Lease free, or until it is lost: false, at
  /// once if another holds it.
  bool keep_leading(const std::function<bool()>& stopped);
  const std::string& identity() const { return identity_; }

 private:
  bool try_once();
  bool write(std::optional<Json> lease, LeaseMove move);
  void release();

  Client& client_;
  Key key_;
  std::string identity_;
  LeaseTimes times_;
  LeaseWatcher watcher_;
  bool taken_ = false;  ///< at the last look another held it
};

}  // namespace ganscale::controller
