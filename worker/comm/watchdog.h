#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace ganscale::comm {

/// Watches operations that wait for other ranks, and acts when one takes longer than the timeout: a
/// peer hung, was stopped or died, and the operation would wait forever.
class Watchdog {
 public:
  /// operation: as it was given to watch(); waited: since then.
  using Action =
      std::function<void(const std::string& operation, std::chrono::milliseconds waited)>;

  /// action: runs once, on the watchdog's thread, for the first operation that is overdue.
  Watchdog(std::chrono::milliseconds timeout, Action action);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// Ends the watching of one operation when it dies.
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

  /// Watches an operation while the result lives.
  [[nodiscard]] Watch watch(std::string_view operation);
  /// Watches an operation that goes on by itself until `done` says that it ended; `done` is asked
  /// from the watchdog's thread. What it throws is taken for a failed operation, overdue at once.
  void watch_until(std::string_view operation, std::function<bool()> done);

 private:
  struct State;
  const std::unique_ptr<State> state_;
};

/// Makes the watchdog of a process: it logs the rank, the operation and the time waited, and ends
/// the process with exit code 75 (kPeerLost) when `timeout` has passed.
///
/// The first rank to end makes mpirun end the others. So that each can still report itself, it
/// warns a moment before the timeout, and from then on ignores the SIGTERM of mpirun.
std::shared_ptr<Watchdog> make_process_watchdog(std::chrono::milliseconds timeout, int rank);

}  // namespace ganscale::comm
