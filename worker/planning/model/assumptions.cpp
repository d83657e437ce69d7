#include "planning/model/assumptions.h"

#include <cmath>
#include <utility>
#include <vector>

namespace ganscale::planning {
namespace {

std::vector<config::Entry> entries_of(const Assumptions& assumptions) {
  return entries_read_by(
      [&](config::Section in) { parse_assumptions(std::move(in), assumptions); });
}

}  // namespace

void read_positive(config::Section& in, std::string_view key, double& value,
                   std::string_view what) {
  value = in.get(key, value, what);
  in.require(value > 0, key, "must be above 0");
}

void read_not_negative(config::Section& in, std::string_view key, double& value,
                       std::string_view what) {
  value = in.get(key, value, what);
  in.require(value >= 0, key, "must not be negative");
}

std::vector<config::Entry> entries_read_by(const std::function<void(config::Section)>& parse) {
  const config::Section in({.value = config::Node::Map{}, .location = {"defaults", 0}});
  parse(in);
  return in.entries();
}

nlohmann::ordered_json to_json(const std::vector<config::Entry>& numbers) {
  auto json = nlohmann::ordered_json::object();
  for (const config::Entry& number : numbers) {
    json[number.path] = nlohmann::ordered_json::parse(number.value);
  }
  return json;
}

double Assumptions::start_seconds_on(int nodes) const {
  return start_seconds + start_seconds_per_doubling * std::log2(nodes);
}

Assumptions parse_assumptions(config::Section in, Assumptions c) {
  read_positive(in, "device", c.device, "factor on the estimated time of the device");
  read_not_negative(in, "launch_seconds", c.launch_seconds,
                    "host time per launch outside CUDA graphs");
  read_not_negative(in, "synchronize_seconds", c.synchronize_seconds,
                    "overhead of a phase that reduces gradients, besides the bytes");
  read_not_negative(in, "overlap", c.overlap,
                    "share of a phase during which gradients can be reduced");
  in.require(c.overlap <= 1, "overlap", "must be at most 1");
  read_positive(in, "link_share", c.link_share, "achieved share of a link's nominal bandwidth");
  in.require(c.link_share <= 1, "link_share", "must be at most 1");
  read_not_negative(in, "jitter", c.jitter, "standard deviation of a rank's step, relative");
  read_not_negative(in, "spread", c.spread, "standard deviation of the speed of devices, relative");
  read_positive(in, "reader_bytes_per_second", c.reader_bytes_per_second,
                "image bytes that a rank decodes per second");
  read_positive(in, "storage_bytes_per_second", c.storage_bytes_per_second,
                "image bytes that all ranks together read per second");
  read_positive(in, "exchange_bytes_per_second", c.exchange_bytes_per_second,
                "bytes that a rank exchanges with the other role per second (asynchronous)");
  read_not_negative(in, "start_seconds", c.start_seconds, "seconds from launch to first step");
  read_not_negative(in, "start_seconds_per_doubling", c.start_seconds_per_doubling,
                    "additional seconds per doubling of the nodes");
  in.reject_unread_keys();
  return c;
}

std::string to_yaml(const Assumptions& assumptions) {
  return config::to_yaml(entries_of(assumptions), /*comments=*/true);
}

nlohmann::ordered_json to_json(const Assumptions& assumptions) {
  return to_json(entries_of(assumptions));
}

}  // namespace ganscale::planning
