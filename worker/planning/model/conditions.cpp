#include "planning/model/conditions.h"

#include <utility>
#include <vector>

#include "planning/model/assumptions.h"

namespace ganscale::planning {
namespace {

std::vector<config::Entry> entries_of(const Conditions& conditions) {
  return entries_read_by([&](config::Section in) { parse_conditions(std::move(in), conditions); });
}

}  // namespace

Conditions parse_conditions(config::Section in, Conditions c) {
  read_positive(in, "rank_hours_between_failures", c.rank_hours_between_failures,
                "mean hours between failures of one rank");
  read_not_negative(in, "detect_seconds", c.detect_seconds,
                    "from a failure to the launch of the next attempt");
  read_positive(in, "checkpoint_pause_seconds", c.checkpoint_pause_seconds,
                "training stops while its state is copied to host memory");
  read_not_negative(in, "checkpoint_write_seconds", c.checkpoint_write_seconds,
                    "from the copy to a valid checkpoint, in the background");
  read_not_negative(in, "pauses_per_hour", c.pauses_per_hour,
                    "times a rank stalls, for reasons of its own");
  read_not_negative(in, "pause_seconds", c.pause_seconds, "duration of such a stall");
  in.reject_unread_keys();
  return c;
}

std::string to_yaml(const Conditions& conditions) {
  return config::to_yaml(entries_of(conditions), /*comments=*/true);
}

nlohmann::ordered_json to_json(const Conditions& conditions) {
  return to_json(entries_of(conditions));
}

Noise noise_of(const Assumptions& assumptions, const Conditions& conditions) {
  return {.jitter = assumptions.jitter,
          .spread = assumptions.spread,
          .pauses_per_hour = conditions.pauses_per_hour,
          .pause_seconds = conditions.pause_seconds};
}

Reliability reliability_of(const Assumptions& assumptions, const Conditions& conditions, int gpus,
                           int nodes) {
  const double start = assumptions.start_seconds_on(nodes);
  return {.seconds_between_failures = 3600 * conditions.rank_hours_between_failures / gpus,
          .restart_seconds = conditions.detect_seconds + start,
          .start_seconds = start,
          .pause_seconds = conditions.checkpoint_pause_seconds,
          .write_seconds = conditions.checkpoint_write_seconds};
}

}  // namespace ganscale::planning
