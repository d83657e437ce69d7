#include "training/loop/scheme.h"

namespace ganscale::training {

const Scheme& find_scheme(SchemeTable table, std::string_view name) {
  for (const Scheme& scheme : table) {
    if (scheme.keys.name == name) return scheme;
  }
  throw ConfigError("scheme.name: unknown scheme: " + std::string(name));
}

void require_one_device(const config::Section& root, const RunConfig& config) {
  root.require(config.training.devices_per_process == 1, "training.devices_per_process",
               "2 requires scheme per_label; use 1: " + config.scheme.name);
}

std::vector<SchemeKeys> scheme_keys(SchemeTable table) {
  std::vector<SchemeKeys> keys;
  for (const Scheme& scheme : table) keys.push_back(scheme.keys);
  return keys;
}

}  // namespace ganscale::training
