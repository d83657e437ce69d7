#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "profile/event.h"

namespace ganscale::profile {

/// How a rank's recording appears in a trace of all ranks.
struct TraceProcess {
  int rank = 0;
  std::string name;            ///< "rank 3, discriminator"
  std::int64_t origin_ns = 0;  ///< time 0 of the trace, the same for all ranks
};

/// Returns a rank's recording as an array of trace events, the format that chrome://tracing and
/// ui.perfetto.dev read: a process for each rank with a track for each of its threads and streams,
/// times in microseconds.
nlohmann::ordered_json trace_events(const TraceProcess& process, const Recording& recording);

}  // namespace ganscale::profile
