#include "wire/preflight.h"

#include <stdexcept>

namespace ganscale::wire {
namespace {

using Json = nlohmann::ordered_json;

Preflight read(const Json& json) {
  const Preflight none;
  Preflight result{
      .gigabytes_per_second = json.value("gigabytes_per_second", none.gigabytes_per_second),
      .floor_gigabytes_per_second =
          json.value("floor_gigabytes_per_second", none.floor_gigabytes_per_second),
      .ranks = json.value("ranks", none.ranks),
      .nodes = json.value("nodes", none.nodes),
      .hcas = json.value("hcas", none.hcas),
      .gpu_direct = json.value("gpu_direct", none.gpu_direct),
      .measured_unix_seconds = json.value("measured_unix_seconds", none.measured_unix_seconds),
      .message = json.value("message", none.message)};
  for (const Json& node : json.value("faulty_nodes", Json::array())) {
    result.faulty_nodes.push_back({.host = node.value("host", ""),
                                   .first_rank = node.value("first_rank", 0),
                                   .reason = node.value("reason", "")});
  }
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
    throw std::invalid_argument(std::string("preflight: ") + error.what());
  }
}

}  // namespace ganscale::wire
