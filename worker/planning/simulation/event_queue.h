#pragma once

#include <cstdint>
#include <queue>
#include <vector>

namespace ganscale::planning {

/// What is going to happen, by its time; of the same time, in the order in which it was planned.
template <class What>
class EventQueue {
 public:
  struct Event {
    double seconds = 0;
    std::int64_t number = 0;
    What what = {};
  };

  void plan(double seconds, What what) { events_.push({seconds, planned_++, what}); }
  bool empty() const { return events_.empty(); }
  /// Removes the next event and returns it.
  Event take() {
    const Event next = events_.top();
    events_.pop();
    return next;
  }

 private:
  struct Later {
    bool operator()(const Event& a, const Event& b) const {
      return a.seconds != b.seconds ? a.seconds > b.seconds : a.number > b.number;
    }
  };

  std::priority_queue<Event, std::vector<Event>, Later> events_;
  std::int64_t planned_ = 0;
};

}  // namespace ganscale::planning
