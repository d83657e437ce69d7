#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/non_copyable.h"

namespace ganscale::comm {

/// Watches operations that wait for other ranks, and acts when one takes longer than the timeout:
/// a peer hung, was stopped or died, and the operation would wait forever.
class Watchdog : NonCopyable {
 public:
  /// An operation that took too long, or failed.
  struct Overdue {
    std::string operation;  ///< as passed to watch(), and why it failed
    std::chrono::milliseconds waited;
    ExitCode code;  ///< kDevice if it failed with its device, otherwise kPeerLost
  };
  using Action = std::function<void(const Overdue& overdue)>;
  using Clock = std::chrono::steady_clock;
  using Now = std::function<Clock::time_point()>;

  /// action: runs once, on the watchdog's thread, for the first overdue operation.
  /// now:    is called on several threads.
  Watchdog(std::chrono::milliseconds timeout, Action action, Now now = Clock::now);
  ~Watchdog();

  /// Stops watching an operation when it is destroyed.
  class Watch {
   public:
    Watch(Watch&& other) noexcept;
    Watch& operator=(Watch&&) = delete;
    ~Watch();

   private:
    friend class Watchdog;
    Watch(Watchdog* watchdog, std::int64_t id) : watchdog_(watchdog), id_(id) {}
    Watchdog* watchdog_;
    std::int64_t id_;
  };

  /// Watches an operation for the lifetime of the result.
  [[nodiscard]] Watch watch(std::string_view operation);
  /// Watches an asynchronous operation until `done` returns true. `done` is called on the
  /// watchdog's thread; if it throws, the operation has failed and is overdue at once: with its
  /// device, if that is a DeviceError or c10::AcceleratorError.
  void watch_until(std::string_view operation, std::function<bool()> done);

 private:
  struct State;
  const std::unique_ptr<State> state_;
};

/// Returns the watchdog of a process: after `timeout` it logs the rank, the operation and the time
/// waited, and ends the process with exit code 75 (kPeerLost), or 71 (kDevice) for a failed device.
///
/// The first rank to end makes mpirun end the others. So that each can still report, it warns
/// shortly before the timeout and ignores SIGTERM of mpirun from then on.
std::shared_ptr<Watchdog> make_process_watchdog(std::chrono::milliseconds timeout, int rank);

}  // namespace ganscale::comm
