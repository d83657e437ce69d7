#include "runtime/events.h"

#include <random>

#include "base/log.h"
#include "kube/lease.h"

namespace ganscale::controller {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::minutes kSeriesEndsAfter{10};
constexpr std::size_t kLongestNoteBytes = 1000;

std::string now_text() { return format_micro_time(std::chrono::system_clock::now()); }

std::string event_name(const std::string& training) {
  static thread_local std::mt19937_64 random{std::random_device{}()};
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string name = training + ".";
  for (std::uint64_t bits = random(), i = 0; i < 16; ++i, bits >>= 4) name += kDigits[bits & 15];
  return name;
}

Json event_of(const GanTraining& training, const Note& note, const std::string& name,
              const std::string& instance) {
  return {{"apiVersion", "events.k8s.io/v1"},
          {"kind", "Event"},
          {"metadata", {{"name", name}, {"namespace", training.key.name_space}}},
          {"eventTime", now_text()},
          {"type", note.warning ? "Warning" : "Normal"},
          {"reason", note.reason},
          {"action", "Reconcile"},
          {"note", note.text.substr(0, kLongestNoteBytes)},
          {"reportingController", "ganscale.dev/operator"},
          {"reportingInstance", instance},
          {"regarding",
           {{"apiVersion", kApiVersion},
            {"kind", kKind},
            {"name", training.key.name},
            {"namespace", training.key.name_space},
            {"uid", training.uid}}}};
}

}  // namespace

EventRecorder::EventRecorder(Client& client, std::string instance)
    : client_(client), instance_(std::move(instance)) {}

/// Counts one more of the same, if there was one of late.
std::optional<EventRecorder::Series> EventRecorder::known(const std::string& what) {
  const std::scoped_lock lock(mutex_);
  std::erase_if(
      recent_, [](const auto& item) { return Clock::now() - item.second.last > kSeriesEndsAfter; });
  const auto found = recent_.find(what);
  if (found == recent_.end()) return std::nullopt;
  ++found->second.count;
  found->second.last = Clock::now();
  return found->second;
}

void EventRecorder::remember(const std::string& what, const std::string& name) {
  const std::scoped_lock lock(mutex_);
  recent_[what] = {.name = name, .count = 1, .last = Clock::now()};
}

void EventRecorder::record(const GanTraining& training, const Note& note) {
  log::info("Event",
            {{"training", training.key.text()}, {"reason", note.reason}, {"note", note.text}});
  const std::string what = training.uid + "/" + note.reason + "/" + note.text;
  try {
    if (const auto series = known(what)) {
      client_.patch(resource::kEvents, {training.key.name_space, series->name},
                    {{"series", {{"count", series->count}, {"lastObservedTime", now_text()}}}});
      return;
    }
    const std::string name = event_name(training.key.name);
    client_.create(resource::kEvents, event_of(training, note, name, instance_));
    remember(what, name);
  } catch (const std::exception& error) {
    log::warning("Can't write an event", {{"what", error.what()}});
  }
}

}  // namespace ganscale::controller
