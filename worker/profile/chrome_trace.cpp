#include "profile/chrome_trace.h"

namespace ganscale::profile {
namespace {

using Json = nlohmann::ordered_json;

double microseconds(std::int64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1000; }

}  // namespace

Json trace_events(const TraceProcess& process, const Recording& recording) {
  Json events = Json::array();
  events.push_back({{"ph", "M"},
                    {"name", "process_name"},
                    {"pid", process.rank},
                    {"args", {{"name", process.name}}}});
  for (const Event& event : recording.events) {
    events.push_back({{"ph", "X"},
                      {"name", event.name},
                      {"pid", process.rank},
                      {"tid", event.track},
                      {"ts", microseconds(event.begin_ns - process.origin_ns)},
                      {"dur", microseconds(event.end_ns - event.begin_ns)}});
  }
  return events;
}

}  // namespace ganscale::profile
