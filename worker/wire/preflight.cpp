#include "wire/preflight.h"

#include <stdexcept>

#include "wire/integers.h"

namespace ganscale::wire {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kPreflight = "preflight";

/// Each leaves the value as it is without this field.
template <class Integer>
  requires std::is_integral_v<Integer>
void read_field(const Json& json, const char* key, Integer& value) {
  read_integer(json, key, kPreflight, value);
}

void read_field(const Json& json, const char* key, double& value) {
  value = json.value(key, value);
}

void read_field(const Json& json, const char* key, std::string& value) {
  value = json.value(key, value);
}

FaultyNode read_node(const Json& json) {
  FaultyNode node;
  read_field(json, "host", node.host);
  read_field(json, "first_rank", node.first_rank);
  read_field(json, "reason", node.reason);
  return node;
}

Preflight read(const Json& json) {
  Preflight result;
  read_field(json, "gigabytes_per_second", result.gigabytes_per_second);
  read_field(json, "floor_gigabytes_per_second", result.floor_gigabytes_per_second);
  read_field(json, "ranks", result.ranks);
  read_field(json, "nodes", result.nodes);
  read_field(json, "hcas", result.hcas);
  read_field(json, "gpu_direct", result.gpu_direct);
  read_field(json, "measured_unix_seconds", result.measured_unix_seconds);
  read_field(json, "message", result.message);
  // By reference: a copy would recurse with the levels of the JSON.
  const auto faulty_nodes = json.find("faulty_nodes");
  if (faulty_nodes == json.end()) return result;
  for (const Json& node : *faulty_nodes) result.faulty_nodes.push_back(read_node(node));
  return result;
}

}  // namespace

Json to_json(const Preflight& preflight) {
  Json json{{"gigabytes_per_second", preflight.gigabytes_per_second},
            {"floor_gigabytes_per_second", preflight.floor_gigabytes_per_second},
            {"ranks", preflight.ranks},
            {"nodes", preflight.nodes},
            {"hcas", preflight.hcas},
            {"gpu_direct", preflight.gpu_direct},
            {"measured_unix_seconds", preflight.measured_unix_seconds},
            {"faulty_nodes", Json::array()},
            {"message", preflight.message}};
  for (const FaultyNode& node : preflight.faulty_nodes) {
    json["faulty_nodes"].push_back(
        {{"host", node.host}, {"first_rank", node.first_rank}, {"reason", node.reason}});
  }
  return json;
}

Preflight parse_preflight(const Json& json) {
  try {
    return read(json);
  } catch (const Json::exception& error) {
    throw std::invalid_argument(std::string(kPreflight) + ": " + error.what());
  }
}

}  // namespace ganscale::wire
