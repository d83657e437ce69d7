#pragma once

#include <functional>
#include <memory>
#include <thread>

#include "base/non_copyable.h"

namespace ganscale::comm {

/// Runs blocking operations one after another, in the order of submission, on a thread of its own,
/// while the caller computes.
class CommThread : NonCopyable {
 public:
  CommThread();
  /// Does not wait: if an operation is still running (its peer may be gone), the thread is
  /// detached, and what the operations use must outlive it.
  ~CommThread();

  void submit(std::function<void()> operation);
  /// Waits for all operations.
  /// Throws: what the first failed operation threw; those after it were not run.
  void wait();
  /// Returns whether all operations are done.
  bool idle() const;

 private:
  struct State;
  static void run(State& state);

  const std::shared_ptr<State> state_;
  std::thread thread_;
};

}  // namespace ganscale::comm
