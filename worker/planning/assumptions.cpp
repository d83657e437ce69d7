#include "planning/assumptions.h"

#include <cmath>

namespace ganscale::planning {

double Assumptions::start_seconds_on(int nodes) const {
  return start_seconds + start_seconds_per_doubling * std::log2(nodes);
}

Assumptions parse_assumptions(config::Section in, Assumptions c) {
  const auto positive = [&in](std::string_view key, double& value, std::string_view what) {
    value = in.get(key, value, what);
    in.require(value > 0, key, "must be above 0");
  };
  const auto not_negative = [&in](std::string_view key, double& value, std::string_view what) {
    value = in.get(key, value, what);
    in.require(value >= 0, key, "must not be negative");
  };
  positive("device", c.device, "factor on the least time of the device");
  not_negative("launch_seconds", c.launch_seconds, "host time per launch outside CUDA graphs");
  not_negative("synchronize_seconds", c.synchronize_seconds,
               "overhead of a phase that reduces gradients, besides the bytes");
  not_negative("overlap", c.overlap, "share of a phase during which gradients can be reduced");
  in.require(c.overlap <= 1, "overlap", "must be at most 1");
  positive("link_share", c.link_share, "achieved share of a link's nominal bandwidth");
  in.require(c.link_share <= 1, "link_share", "must be at most 1");
  not_negative("jitter", c.jitter, "standard deviation of a rank's step, relative");
  not_negative("spread", c.spread, "standard deviation of the speed of devices, relative");
  positive("reader_bytes_per_second", c.reader_bytes_per_second,
           "image bytes that a rank decodes per second");
  positive("storage_bytes_per_second", c.storage_bytes_per_second,
           "image bytes that all ranks together read per second");
  not_negative("start_seconds", c.start_seconds, "seconds from launch to first step");
  not_negative("start_seconds_per_doubling", c.start_seconds_per_doubling,
               "additional seconds per doubling of the nodes");
  in.reject_unread_keys();
  return c;
}

std::string to_yaml(const Assumptions& assumptions) {
  const config::Section in({.value = config::Node::Map{}, .location = {"assumptions", 0}});
  parse_assumptions(in, assumptions);
  return config::to_yaml(in.entries(), /*comments=*/true);
}

}  // namespace ganscale::planning
