#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "object/key.h"
#include "wire/job_status.h"

namespace ganscale::controller::gan_training {

/// Asks rank 0 of each running training for its status periodically, on its own threads: a
/// worker that does not answer delays only its own probe. If more are due than there are
/// threads: first workers that are to stop, then the namespace with the fewest probes in progress,
/// then the longest overdue.
class WorkerProbe {
 public:
  using Clock = std::chrono::steady_clock;

  struct Target {
    std::string url;  ///< http://10.0.0.7:9401
    std::string token;
    int attempt = 0;    ///< a status of another attempt does not count
    bool stop = false;  ///< ask for a checkpoint and the end, until it answers that it ends
    bool operator==(const Target&) const = default;
  };

  /// on_change: called with each training whose status has changed.
  WorkerProbe(Clock::duration interval, int thread_count,
              std::function<void(const Key&)> on_change);
  ~WorkerProbe();

  void watch(const Key& key, const Target& target);
  void forget(const Key& key);
  /// Returns what the worker said last; nothing if it never did.
  std::optional<wire::JobStatus> latest(const Key& key, int attempt) const;

 private:
  struct Entry {
    Target target;
    Clock::time_point due;
    bool being_asked = false;
    std::optional<wire::JobStatus> status;
  };

  using Entries = std::map<Key, Entry>;

  void run();
  int asked_in(const std::string& name_space) const;
  bool goes_before(const Entries::value_type& a, const Entries::value_type& b) const;
  std::optional<std::pair<Key, Target>> take(std::unique_lock<std::mutex>& lock);
  void store(const Key& key, const Target& asked, const std::optional<wire::JobStatus>& heard);

  const Clock::duration interval_;
  const std::function<void(const Key&)> on_change_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Entries entries_;
  bool stopped_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace ganscale::controller::gan_training
