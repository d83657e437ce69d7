#include "gan_training/reconcile/worker_probe.h"

#include <algorithm>
#include <tuple>

#include "kube/rest_transport.h"
#include "wire/command.h"
#include "wire/names.h"

namespace ganscale::controller::gan_training {
namespace {

constexpr std::chrono::seconds kStatusWithin{3};
constexpr std::chrono::seconds kAskToStopAgain{1};

/// Returns what the worker says; nothing if it does not answer, or nothing sensible.
std::optional<wire::JobStatus> ask(const WorkerProbe::Target& target) {
  ClusterAccess access;
  access.server = target.url;
  access.token = target.token;
  try {
    RestTransport transport(access, kStatusWithin);
    const HttpResponse answer = transport.send({.method = "GET", .path = wire::path::kStatus});
    if (answer.status != 200) return std::nullopt;
    const auto status = wire::parse_job_status(nlohmann::ordered_json::parse(answer.body));
    const bool goes_on = status.state == wire::JobState::kRunning ||
                         status.state == wire::JobState::kPaused ||
                         status.state == wire::JobState::kStarting;
    if (target.stop && goes_on) {
      transport.send({.method = "POST",
                      .path = wire::path::kCommands,
                      .body = wire::to_json(wire::Command::kStop).dump()});
    }
    return status;
  } catch (const std::exception&) {
    return std::nullopt;  // it may be starting, ending, or gone: its pods show which
  }
}

}  // namespace

WorkerProbe::WorkerProbe(Clock::duration interval, int thread_count,
                         std::function<void(const Key&)> on_change)
    : interval_(interval), on_change_(std::move(on_change)) {
  for (int i = 0; i < thread_count; ++i) threads_.emplace_back([this] { run(); });
}

WorkerProbe::~WorkerProbe() {
  {
    const std::scoped_lock lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  for (auto& thread : threads_) thread.join();
}

void WorkerProbe::watch(const Key& key, const Target& target) {
  const std::scoped_lock lock(mutex_);
  Entry& entry = entries_[key];
  if (entry.target == target) return;
  if (entry.target.attempt != target.attempt) entry.status.reset();
  entry.target = target;
  entry.due = Clock::now();
  changed_.notify_one();
}

void WorkerProbe::forget(const Key& key) {
  const std::scoped_lock lock(mutex_);
  entries_.erase(key);
}

std::optional<wire::JobStatus> WorkerProbe::latest(const Key& key, int attempt) const {
  const std::scoped_lock lock(mutex_);
  const auto found = entries_.find(key);
  if (found == entries_.end() || found->second.target.attempt != attempt) return std::nullopt;
  return found->second.status;
}

/// Returns how many probes of a namespace are in progress. Needs the lock.
int WorkerProbe::asked_in(const std::string& name_space) const {
  return static_cast<int>(std::ranges::count_if(entries_, [&](const auto& item) {
    return item.first.name_space == name_space && item.second.being_asked;
  }));
}

/// Needs the lock.
bool WorkerProbe::goes_before(const Entries::value_type& a, const Entries::value_type& b) const {
  const auto order = [this](const Entries::value_type& item) {
    return std::tuple(!item.second.target.stop, asked_in(item.first.name_space), item.second.due);
  };
  return order(a) < order(b);
}

/// Waits for an entry that is due, and marks it as being asked; nothing at the end.
std::optional<std::pair<Key, WorkerProbe::Target>> WorkerProbe::take(
    std::unique_lock<std::mutex>& lock) {
  while (!stopped_) {
    const auto now = Clock::now();
    auto next = now + std::chrono::seconds(10);
    Entries::value_type* first = nullptr;
    for (auto& item : entries_) {
      const Entry& entry = item.second;
      if (entry.being_asked) continue;
      if (entry.due > now) {
        next = std::min(next, entry.due);
      } else if (first == nullptr || goes_before(item, *first)) {
        first = &item;
      }
    }
    if (first != nullptr) {
      first->second.being_asked = true;
      return std::pair{first->first, first->second.target};
    }
    changed_.wait_until(lock, next);
  }
  return std::nullopt;
}

void WorkerProbe::store(const Key& key, const Target& asked,
                        const std::optional<wire::JobStatus>& heard) {
  bool is_new = false;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = entries_.find(key);
    if (found == entries_.end()) return;
    Entry& entry = found->second;
    entry.being_asked = false;
    if (entry.target == asked) {
      entry.due = Clock::now() + (asked.stop ? Clock::duration(kAskToStopAgain) : interval_);
    }
    is_new = heard && entry.target.attempt == asked.attempt && entry.status != heard;
    if (is_new) entry.status = heard;
  }
  if (is_new) on_change_(key);
}

void WorkerProbe::run() {
  while (true) {
    std::unique_lock lock(mutex_);
    const auto taken = take(lock);
    if (!taken) return;
    lock.unlock();
    store(taken->first, taken->second, ask(taken->second));
  }
}

}  // namespace ganscale::controller::gan_training
