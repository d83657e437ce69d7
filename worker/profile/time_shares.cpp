#include "profile/time_shares.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>

namespace ganscale::profile {
namespace {

constexpr double kSecondsPerNanosecond = 1e-9;

std::size_t number(Kind kind) { return static_cast<std::size_t>(kind); }

/// A thread's operators, outermost first if two begin together.
std::vector<Event> in_order(const std::vector<Event>& events, std::uint64_t thread) {
  std::vector<Event> own;
  std::ranges::copy_if(events, std::back_inserter(own), [&](const Event& event) {
    return !event.on_device && event.track == thread && event.end_ns > event.begin_ns;
  });
  std::ranges::stable_sort(own, [](const Event& a, const Event& b) {
    return a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns : a.end_ns > b.end_ns;
  });
  return own;
}

/// Goes through nested operators and charges every moment to the innermost one.
class Stack {
 public:
  explicit Stack(std::int64_t begin_ns) : now_ns_(begin_ns) {}

  void begin(const Event& event) {
    leave(event.begin_ns);
    charge(event.begin_ns);
    const Kind outer = open_.empty() ? Kind::kHost : open_.back().kind;
    open_.push_back({event.end_ns, kind_of(event.name).value_or(outer)});
  }

  KindSeconds end(std::int64_t end_ns) {
    leave(end_ns);
    charge(end_ns);
    return seconds_;
  }

 private:
  struct Open {
    std::int64_t end_ns;
    Kind kind;
  };

  void leave(std::int64_t now_ns) {
    while (!open_.empty() && open_.back().end_ns <= now_ns) {
      charge(open_.back().end_ns);
      open_.pop_back();
    }
  }

  void charge(std::int64_t now_ns) {
    if (now_ns <= now_ns_) return;
    const Kind kind = open_.empty() ? Kind::kHost : open_.back().kind;
    seconds_[number(kind)] += static_cast<double>(now_ns - now_ns_) * kSecondsPerNanosecond;
    now_ns_ = now_ns;
  }

  std::int64_t now_ns_;
  std::vector<Open> open_;
  KindSeconds seconds_ = {};
};

KindSeconds of_thread(const Recording& recording) {
  Stack stack(recording.begin_ns);
  for (const Event& event : in_order(recording.events, recording.thread)) stack.begin(event);
  return stack.end(recording.end_ns);
}

/// The kernels that run, by kind.
using Running = std::array<int, kKindNames.size()>;

/// Returns the moments at which kernels begin and end, with what that changes.
std::map<std::int64_t, Running> kernel_changes(const std::vector<Event>& events) {
  std::unordered_map<std::uint64_t, Kind> kind_by_operator;
  for (const Event& event : events) {
    if (event.on_device || event.correlation == 0) continue;
    if (const auto kind = kind_of(event.name)) kind_by_operator[event.correlation] = *kind;
  }
  std::map<std::int64_t, Running> changes;
  for (const Event& event : events) {
    if (!event.on_device) continue;
    const auto caller = kind_by_operator.find(event.caller);
    const bool is_known = caller != kind_by_operator.end();
    const Kind kind = is_known ? caller->second : kind_of(event.name).value_or(Kind::kElementwise);
    changes[event.begin_ns][number(kind)] += 1;
    changes[event.end_ns][number(kind)] -= 1;
  }
  return changes;
}

void charge(KindSeconds& seconds, const Running& running, double span) {
  const int count = std::reduce(running.begin(), running.end());
  if (count == 0) seconds[number(Kind::kIdle)] += span;
  for (std::size_t kind = 0; count > 0 && kind < running.size(); ++kind) {
    seconds[kind] += span * running[kind] / count;
  }
}

KindSeconds of_device(const Recording& recording) {
  auto changes = kernel_changes(recording.events);
  changes.try_emplace(recording.end_ns);
  KindSeconds seconds = {};
  Running running = {};
  std::int64_t now_ns = recording.begin_ns;
  for (const auto& [time_ns, change] : changes) {
    const auto until_ns = std::clamp(time_ns, now_ns, recording.end_ns);
    charge(seconds, running, static_cast<double>(until_ns - now_ns) * kSecondsPerNanosecond);
    for (std::size_t kind = 0; kind < running.size(); ++kind) running[kind] += change[kind];
    now_ns = until_ns;
  }
  return seconds;
}

}  // namespace

KindSeconds seconds_by_kind(const Recording& recording) {
  const bool has_device = std::ranges::any_of(recording.events, &Event::on_device);
  return has_device ? of_device(recording) : of_thread(recording);
}

}  // namespace ganscale::profile
