#include "controller/work_queue.h"

#include <algorithm>

namespace ganscale::controller {

void WorkQueue::push(const Key& key) {
  ++counts_.adds;
  if (!dirty_.insert(key).second) return;
  if (processing_.contains(key)) return;
  waiting_.push_back({key, Clock::now()});
  changed_.notify_one();
}

void WorkQueue::add(const Key& key) {
  const std::scoped_lock lock(mutex_);
  if (!shut_) push(key);
}

void WorkQueue::add_after(const Key& key, Clock::duration delay) {
  const std::scoped_lock lock(mutex_);
  if (shut_) return;
  const auto due = Clock::now() + delay;
  const auto [known, is_new] = delayed_.try_emplace(key, due);
  if (!is_new) known->second = std::min(known->second, due);
  changed_.notify_one();
}

void WorkQueue::add_rate_limited(const Key& key) {
  std::chrono::milliseconds wait{};
  {
    const std::scoped_lock lock(mutex_);
    constexpr int kMostDoublings = 20;
    const int failures = std::min(failures_[key]++, kMostDoublings);
    wait = std::min(limits_.first * (1 << failures), limits_.longest);
    ++counts_.retries;
  }
  add_after(key, wait);
}

void WorkQueue::forget(const Key& key) {
  const std::scoped_lock lock(mutex_);
  failures_.erase(key);
}

/// Moves what is due to those that wait. Returns when the next one will be.
WorkQueue::Clock::time_point WorkQueue::take_due(Clock::time_point now) {
  auto next = Clock::time_point::max();
  for (auto item = delayed_.begin(); item != delayed_.end();) {
    if (item->second <= now) {
      push(item->first);
      item = delayed_.erase(item);
    } else {
      next = std::min(next, item->second);
      ++item;
    }
  }
  return next;
}

std::optional<WorkQueue::Item> WorkQueue::get() {
  std::unique_lock lock(mutex_);
  while (true) {
    const auto next = take_due(Clock::now());
    if (shut_) return std::nullopt;
    if (!waiting_.empty()) break;
    if (next == Clock::time_point::max()) {
      changed_.wait(lock);
    } else {
      changed_.wait_until(lock, next);
    }
  }
  const Item item = waiting_.front();
  waiting_.pop_front();
  dirty_.erase(item.key);
  processing_.insert(item.key);
  return item;
}

void WorkQueue::done(const Key& key) {
  const std::scoped_lock lock(mutex_);
  processing_.erase(key);
  if (!dirty_.contains(key)) return;
  waiting_.push_back({key, Clock::now()});
  changed_.notify_one();
}

void WorkQueue::shut_down() {
  const std::scoped_lock lock(mutex_);
  shut_ = true;
  changed_.notify_all();
}

WorkQueue::Counts WorkQueue::counts() const {
  const std::scoped_lock lock(mutex_);
  Counts counts = counts_;
  counts.depth = waiting_.size();
  return counts;
}

}  // namespace ganscale::controller
