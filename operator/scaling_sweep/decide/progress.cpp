#include "scaling_sweep/decide/progress.h"

#include <algorithm>

#include "base/utf8.h"

namespace ganscale::controller::scaling_sweep {
namespace {

using std::chrono::seconds;

constexpr seconds kPollEvery{2};

const SweepRun* planned_run(const Plan& plan, const std::string& name, const std::string& hash) {
  const auto found = std::ranges::find_if(plan.runs, [&](const SweepRun& run) {
    return run.name == name && plan.points[run.point].hash == hash;
  });
  return found == plan.runs.end() ? nullptr : &*found;
}

/// Drops the results of runs that are not planned, or that ran another spec than is planned.
void drop_stale(const Plan& plan, Decision& d) {
  const auto dropped = std::erase_if(d.record.results, [&](const Result& result) {
    return planned_run(plan, result.run, result.hash) == nullptr;
  });
  if (dropped == 0) return;
  d.events.push_back({false, "SpecChange",
                      "the spec was edited; results that no longer belong to it were dropped: " +
                          std::to_string(dropped)});
}

/// Returns the message of a training, cut short: hundreds of runs are in one status.
std::string message_of(const Child& child) {
  constexpr std::size_t kLongestMessageBytes = 300;
  return valid_utf8(child.message.substr(0, kLongestMessageBytes));
}

Result result_of(const Child& child) {
  Result result{.run = child.name,
                .hash = child.hash,
                .measured = {},
                .message = {},
                .nodes = child.nodes,
                .image_id = child.image_id,
                .restarts = child.restarts};
  std::ranges::sort(result.nodes);
  if (child.edited) {
    result.message =
        "the spec of its GanTraining was edited, so it does not measure this point; edit the sweep "
        "instead";
  } else if (child.phase != Phase::kSucceeded) {
    result.message = child.message.empty() ? "the training failed" : message_of(child);
  } else if (!child.measured) {
    result.message =
        "the worker reported no window: its image is older than the operator, or the training "
        "ended "
        "before the window did";
  } else {
    result.measured = child.measured;
  }
  return result;
}

void add_result(const Result& result, Decision& d) {
  d.record.results.push_back(result);
  if (result.measured) {
    const auto rate = static_cast<long long>(result.measured->images_per_second);
    d.events.push_back(
        {false, "Measured", result.run + ": " + std::to_string(rate) + " images per second"});
  } else {
    d.events.push_back({true, "RunFailed", result.run + ": " + result.message});
  }
}

Time deadline_of(const Situation& s, const Child& child) {
  return child.created.value_or(s.now) + seconds(s.plan.spec.run_deadline_seconds);
}

/// Takes the results of the trainings that are over, were edited, or took too long.
void take_results(const Situation& s, Decision& d) {
  for (const Child& child : s.children) {
    const bool is_open = child.owned && !child.deleted &&
                         planned_run(s.plan, child.name, child.hash) != nullptr &&
                         find_result(d.record, child.name, child.hash) == nullptr;
    if (!is_open) continue;
    if (child.is_over() || child.edited) {
      add_result(result_of(child), d);
    } else if (s.now >= deadline_of(s, child)) {
      Result result = result_of(child);
      result.message = "took longer than spec.runDeadlineSeconds: " +
                       std::to_string(s.plan.spec.run_deadline_seconds) + " s; it was " +
                       std::string(name_in(kPhases, child.phase)) +
                       (child.message.empty() ? "" : ": " + message_of(child));
      add_result(result, d);
    }
  }
}

bool is_kept(const Situation& s, const Child& child, const Record& record) {
  return !s.plan.spec.suspend && planned_run(s.plan, child.name, child.hash) != nullptr &&
         find_result(record, child.name, child.hash) == nullptr;
}

/// Names the trainings that are not to be there: of another spec, with a result, or all of them
/// while the sweep is suspended and once it is over.
void remove_others(const Situation& s, bool is_over, Decision& d) {
  for (const Child& child : s.children) {
    if (child.owned && !child.deleted && (is_over || !is_kept(s, child, d.record))) {
      d.remove.push_back(child.name);
    }
  }
}

std::optional<std::size_t> next_run(const Plan& plan, const Record& record) {
  for (std::size_t i = 0; i < plan.runs.size(); ++i) {
    const SweepRun& run = plan.runs[i];
    if (find_result(record, run.name, plan.points[run.point].hash) == nullptr) return i;
  }
  return std::nullopt;
}

void finish(const Situation& s, Decision& d, Phase phase, const std::string& reason,
            const std::string& message) {
  d.record.current.clear();
  set_phase(d, phase, reason, message);
  if (s.record.phase != phase) {
    d.events.push_back({phase == Phase::kFailed, reason, message});
  }
}

/// Ends the sweep if nothing is to be run any more. Returns whether it did.
bool is_finished(const Situation& s, Decision& d) {
  const auto failed = std::ranges::count_if(d.record.results,
                                            [](const Result& result) { return !result.measured; });
  const auto all = static_cast<std::ptrdiff_t>(s.plan.runs.size());
  const std::string counts = std::to_string(failed) + " of " + std::to_string(all) + " runs failed";
  if (failed > 0 && s.plan.spec.stop_on_failure) {
    finish(s, d, Phase::kFailed, "RunFailed", counts + ", and spec.failurePolicy is Stop");
  } else if (next_run(s.plan, d.record)) {
    return false;
  } else if (failed == all) {
    finish(s, d, Phase::kFailed, "NothingMeasured", counts);
  } else {
    finish(s, d, Phase::kSucceeded, "Done", counts);
  }
  return true;
}

/// Lets a sweep go that has been over for long enough.
void decide_expiry(const Situation& s, Decision& d) {
  const auto& ttl = s.plan.spec.ttl_seconds;
  if (!ttl || !s.over_since || d.record.phase != s.record.phase) return;
  const Time end = *s.over_since + seconds(*ttl);
  if (s.now < end) {
    d.requeue_after = end - s.now;
    return;
  }
  d.expired = true;
  d.events.push_back(
      {false, "Expired",
       "is deleted: it ended spec.ttlSecondsAfterFinished ago: " + std::to_string(*ttl) + " s"});
}

/// Whether a training must be gone before the next is made. One of another owner that merely has
/// our label stays, and is waited for only if it has a name that is needed.
bool must_go_first(const Child& child) {
  return child.owned || child.of_earlier_sweep || child.deleted;
}

void go_on(const Situation& s, Decision& d) {
  const std::size_t index = *next_run(s.plan, d.record);
  const std::string& next = s.plan.runs[index].name;
  // An edit may have put another run before the one that is there.
  const auto there = std::ranges::find_if(
      s.children, [&](const Child& child) { return child.owned && is_kept(s, child, d.record); });
  const bool is_there = there != s.children.end();
  const auto going = std::ranges::find_if(s.children, must_go_first);
  d.record.current = is_there ? there->name : next;
  set_phase(d, Phase::kRunning, "Running", d.record.current);
  if (is_there) {
    d.record.message = there->name + " is " + std::string(name_in(kPhases, there->phase));
    d.requeue_after = std::max(seconds(1), seconds(deadline_of(s, *there) - s.now));
  } else if (going != s.children.end()) {
    d.record.reason = "Waiting";
    d.record.message = going->name + " is being deleted, " + next + " is next";
    d.requeue_after = kPollEvery;
  } else {
    d.start = index;
  }
}

}  // namespace

int done_count(const Plan& plan, const Record& record) {
  return static_cast<int>(std::ranges::count_if(plan.runs, [&](const SweepRun& run) {
    return find_result(record, run.name, plan.points[run.point].hash) != nullptr;
  }));
}

Decision decide(const Situation& s) {
  Decision d;
  d.record = s.record;
  if (s.deleted) return d;  // its trainings are deleted with it: it owns them
  if (!s.problem.empty()) {
    // A training of a spec that is not there any more measures nothing.
    remove_others(s, /*is_over=*/false, d);
    d.record.current.clear();
    if (s.record.message != s.problem) d.events.push_back({true, s.problem_reason, s.problem});
    set_phase(d, Phase::kPending, s.problem_reason, s.problem);
    return d;
  }
  drop_stale(s.plan, d);
  take_results(s, d);
  const bool is_over = is_finished(s, d);
  remove_others(s, is_over, d);
  if (is_over) {
    decide_expiry(s, d);
    return d;
  }
  if (s.plan.spec.suspend) {
    d.record.current.clear();
    set_phase(d, Phase::kSuspended, "Suspended", "spec.suspend is true");
    return d;
  }
  go_on(s, d);
  return d;
}

}  // namespace ganscale::controller::scaling_sweep
