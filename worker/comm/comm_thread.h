#pragma once

#include <functional>
#include <memory>
#include <thread>

namespace ganscale::comm {

/// Runs blocking operations one after another, in the order in which they were given, on a thread
/// of its own: the operations go on while the caller computes.
class CommThread {
 public:
  CommThread();
  /// Waits for nobody: where an operation is still under way (its peer may be gone), the thread is
  /// left behind, and what the operations use must outlive it.
  ~CommThread();
  CommThread(const CommThread&) = delete;
  CommThread& operator=(const CommThread&) = delete;

  void submit(std::function<void()> operation);
  /// Waits until all is done.
  /// Throws: what the first operation threw that failed; those behind it were not run.
  void wait();
  /// Says whether all is done.
  bool idle() const;

 private:
  struct State;
  static void run(State& state);

  const std::shared_ptr<State> state_;
  std::thread thread_;
};

}  // namespace ganscale::comm
