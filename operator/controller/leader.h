#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <string>

#include "kube/client.h"
#include "kube/lease.h"
#include "kube/sleep.h"

namespace ganscale::controller {

/// Timing of the leader election.
struct LeaseTimes {
  std::chrono::milliseconds duration{
      15000};  ///< another may take over after this long without renewal
  std::chrono::milliseconds deadline{
      10000};  ///< the leader gives up after failing to renew for this long
  std::chrono::milliseconds retry{2000};
};

/// Takes part in the leader election.
class LeaderElector {
 public:
  /// client: for the Lease only. Its requests should be short and sent once, so that several fit
  /// into the deadline.
  LeaderElector(Client& client, Key lease, std::string identity, LeaseTimes times);

  /// Returns true once this process leads, or false if `stopped` returns true first.
  bool wait_to_lead(const Stopped& stopped);
  /// Renews the Lease. Returns true after releasing it because `stopped` returned true, or false
  /// when it is lost, immediately if another process holds it.
  bool keep_leading(const Stopped& stopped);

  /// Whether this process may write: less than the deadline has passed since it asked for the last
  /// renewal that it got. Any thread may ask, also while a request for the Lease hangs.
  bool leads() const { return Clock::now() < leads_until_.load(); }

 private:
  using Clock = std::chrono::steady_clock;

  bool try_once();
  bool write(std::optional<Json> lease, LeaseMove move);
  void release();

  Client& client_;
  Key key_;
  std::string identity_;
  LeaseTimes times_;
  LeaseWatcher watcher_;
  std::atomic<Clock::time_point> leads_until_{};
};

}  // namespace ganscale::controller
