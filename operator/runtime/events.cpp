#include "runtime/events.h"

#include <random>

#include "base/log.h"
#include "kube/lease.h"

namespace ganscale::controller {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::minutes kSeriesEndsAfter{10};
constexpr std::size_t kLongestNoteBytes = 1000;
constexpr std::size_t kMostWaiting = 10000;

std::string now_text() { return format_micro_time(std::chrono::system_clock::now()); }

std::string event_name(const std::string& training) {
  static thread_local std::mt19937_64 random{std::random_device{}()};
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string name = training + ".";
  for (std::uint64_t bits = random(), i = 0; i < 16; ++i, bits >>= 4) name += kDigits[bits & 15];
  return name;
}

/// Cuts a text between two letters: half of one is no JSON.
std::string shortened(const std::string& text) {
  if (text.size() <= kLongestNoteBytes) return text;
  std::size_t end = kLongestNoteBytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end);
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
          {"note", shortened(note.text)},
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
    : client_(client), instance_(std::move(instance)), thread_([this] { run(); }) {}

EventRecorder::~EventRecorder() {
  {
    const std::scoped_lock lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void EventRecorder::record(const GanTraining& training, const Note& note) {
  log::info("Event",
            {{"training", training.key.text()}, {"reason", note.reason}, {"note", note.text}});
  Waiting waiting{
      .what = training.uid + "/" + note.reason + "/" + note.text,
      .name_space = training.key.name_space,
      .event = event_of(training, note, event_name(training.key.name), instance_),
  };
  const std::scoped_lock lock(mutex_);
  // While the server does not answer, they must not fill the memory.
  if (waiting_.size() == kMostWaiting) waiting_.pop_front();
  waiting_.push_back(std::move(waiting));
  changed_.notify_one();
}

void EventRecorder::run() {
  while (true) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return stopped_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    const bool last_chance = stopped_;
    lock.unlock();
    if (!write(next) && last_chance) return;
  }
}

void EventRecorder::forget_old() {
  std::erase_if(
      recent_, [](const auto& item) { return Clock::now() - item.second.last > kSeriesEndsAfter; });
}

/// Counts one more of the same if there was one of late, else writes a new event.
bool EventRecorder::write(const Waiting& waiting) {
  forget_old();
  try {
    const auto known = recent_.find(waiting.what);
    if (known == recent_.end()) {
      client_.create(resource::kEvents, waiting.event);
      recent_[waiting.what] = {
          .name = waiting.event["metadata"]["name"], .count = 1, .last = Clock::now()};
      return true;
    }
    Series& series = known->second;
    series.last = Clock::now();
    client_.patch(resource::kEvents, {waiting.name_space, series.name},
                  {{"series", {{"count", ++series.count}, {"lastObservedTime", now_text()}}}});
    return true;
  } catch (const std::exception& error) {
    log::warning("Can't write an event", {{"what", error.what()}});
    recent_.erase(waiting.what);
    return false;
  }
}

}  // namespace ganscale::controller
