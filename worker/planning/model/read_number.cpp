#include "planning/model/read_number.h"

namespace ganscale::planning {

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

}  // namespace ganscale::planning
