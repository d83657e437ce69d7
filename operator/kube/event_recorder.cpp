#include "kube/event_recorder.h"

#include <random>

#include "base/log.h"
#include "files/hex.h"
#include "object/time.h"

namespace ganscale::controller {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::minutes kSeriesEndsAfter{10};
constexpr std::size_t kLongestNoteBytes = 1000;
constexpr std::size_t kMostWaiting = 10000;

std::string current_time() { return format_micro_time(std::chrono::system_clock::now()); }

std::string event_name(const std::string& about) {
  static thread_local std::mt19937_64 random{std::random_device{}()};
  return about + "." + files::hex(std::uint64_t{random()});
}

/// Cuts a text between two characters: half of one is not valid JSON.
std::string shortened(const std::string& text) {
  if (text.size() <= kLongestNoteBytes) return text;
  std::size_t end = kLongestNoteBytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end);
}

Json event_of(const ObjectReference& regarding, const Event& event, const std::string& name,
              const std::string& instance) {
  return {{"apiVersion", "events.k8s.io/v1"},
          {"kind", "Event"},
          {"metadata", {{"name", name}, {"namespace", regarding.key.name_space}}},
          {"eventTime", current_time()},
          {"type", event.warning ? "Warning" : "Normal"},
          {"reason", event.reason},
          {"action", "Reconcile"},
          {"note", shortened(event.note)},
          {"reportingController", "ganscale.dev/operator"},
          {"reportingInstance", instance},
          {"regarding",
           {{"apiVersion", regarding.api_version},
            {"kind", regarding.kind},
            {"name", regarding.key.name},
            {"namespace", regarding.key.name_space},
            {"uid", regarding.uid}}}};
}

}  // namespace

EventRecorder::EventRecorder(Client& client, std::string instance)
    : client_(client), instance_(std::move(instance)), thread_([this] { run(); }) {}

void EventRecorder::close() {
  {
    const std::scoped_lock lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void EventRecorder::record(const ObjectReference& regarding, const Event& event) {
  log::info("Event", {{"kind", regarding.kind},
                      {"object", regarding.key.text()},
                      {"reason", event.reason},
                      {"note", event.note}});
  Waiting waiting{
      .what = regarding.uid + "/" + event.reason + "/" + event.note,
      .name_space = regarding.key.name_space,
      .event = event_of(regarding, event, event_name(regarding.key.name), instance_),
  };
  const std::scoped_lock lock(mutex_);
  if (stopped_) return;
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

/// Counts one more of the same. Returns false if there was none of late, or it is gone: events are
/// deleted after a time, or by anyone.
bool EventRecorder::count(const Waiting& waiting) {
  const auto known = recent_.find(waiting.what);
  if (known == recent_.end()) return false;
  Series& series = known->second;
  series.last = Clock::now();
  try {
    client_.patch(resource::kEvents, {waiting.name_space, series.name},
                  {{"series", {{"count", ++series.count}, {"lastObservedTime", current_time()}}}});
  } catch (const ApiError& error) {
    if (error.code() != 404) throw;
    return false;
  }
  return true;
}

/// Counts one more of the same, else writes a new event. Returns false if neither can be done.
bool EventRecorder::write(const Waiting& waiting) {
  forget_old();
  try {
    if (count(waiting)) return true;
    client_.create(resource::kEvents, waiting.event);
    recent_[waiting.what] = {
        .name = waiting.event["metadata"]["name"], .count = 1, .last = Clock::now()};
    return true;
  } catch (const std::exception& error) {
    log::warning("Can't write an event", {{"what", error.what()}});
    recent_.erase(waiting.what);
    return false;
  }
}

}  // namespace ganscale::controller
