#include "planning/simulation/attempts.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "planning/simulation/event_queue.h"

namespace ganscale::planning {
namespace {

enum class Happening { kFailure, kStarted, kCheckpointDue, kCopied, kWritten, kDone };

struct Planned {
  Happening happening = Happening::kFailure;
  int attempt = 0;      ///< in which it was planned: with another one it does not happen
  double progress = 0;  ///< seconds of training, of what is written
};

class AttemptSimulation {
 public:
  AttemptSimulation(const PlannedRun& run, const Reliability& reliability, std::uint64_t seed)
      : run_(run), reliability_(reliability), random_(seed) {}

  RunTime simulate() {
    plan_failure(0);
    plan(reliability_.start_seconds, Happening::kStarted);
    while (!is_done_) {
      const auto event = events_.take();
      if (event.what.happening == Happening::kFailure || event.what.attempt == time_.failures) {
        handle(event.what, event.seconds);
      }
    }
    return time_;
  }

 private:
  enum class Doing { kStarting, kTraining, kCheckpointing };

  void plan(double seconds, Happening happening, double progress = 0) {
    events_.plan(seconds, {happening, time_.failures, progress});
  }

  void plan_failure(double now) {
    std::exponential_distribution<double> until(1 / reliability_.seconds_between_failures);
    plan(now + until(random_), Happening::kFailure);
  }

  void handle(const Planned& what, double now) {
    switch (what.happening) {
      case Happening::kFailure: return fail(now);
      case Happening::kStarted: return train(now);
      case Happening::kCheckpointDue: return checkpoint(now);
      case Happening::kCopied: return write(now);
      case Happening::kWritten: saved_ = what.progress; return;
      case Happening::kDone: return end(now);
    }
  }

  /// Counts the time since the last change by what was done in it.
  void change_to(Doing next, double now) {
    const double since = now - changed_at_;
    changed_at_ = now;
    if (doing_ == Doing::kTraining) progress_ += since;
    if (doing_ == Doing::kStarting) time_.starting += since;
    if (doing_ == Doing::kCheckpointing) time_.checkpointing += since;
    doing_ = next;
  }

  void fail(double now) {
    change_to(Doing::kStarting, now);
    time_.repeated += progress_ - saved_;
    progress_ = saved_;
    time_.failures += 1;
    written_at_ = 0;
    if (time_.failures == run_.most_failures) return end(now);
    plan_failure(now);
    plan(now + reliability_.restart_seconds, Happening::kStarted);
  }

  void train(double now) {
    change_to(Doing::kTraining, now);
    const double left = run_.training_seconds - progress_;
    if (left <= run_.interval_seconds) return plan(now + left, Happening::kDone);
    plan(now + run_.interval_seconds, Happening::kCheckpointDue);
  }

  void checkpoint(double now) {
    change_to(Doing::kCheckpointing, now);
    plan(std::max(now, written_at_) + reliability_.pause_seconds, Happening::kCopied);
  }

  void write(double now) {
    written_at_ = now + reliability_.write_seconds;
    plan(written_at_, Happening::kWritten, progress_);
    train(now);
  }

  void end(double now) {
    change_to(Doing::kStarting, now);
    time_.trained = progress_;
    is_done_ = true;
  }

  const PlannedRun run_;
  const Reliability reliability_;
  std::mt19937_64 random_;
  EventQueue<Planned> events_;
  RunTime time_;
  Doing doing_ = Doing::kStarting;
  double changed_at_ = 0;
  double progress_ = 0;  ///< seconds of training, of the state of the ranks
  double saved_ = 0;     ///< of the latest valid checkpoint
  double written_at_ = 0;
  bool is_done_ = false;
};

}  // namespace

RunTime simulate_attempts(const PlannedRun& run, const Reliability& reliability,
                          std::uint64_t seed) {
  return AttemptSimulation(run, reliability, seed).simulate();
}

}  // namespace ganscale::planning
