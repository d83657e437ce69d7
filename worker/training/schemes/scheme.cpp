#include "training/schemes/scheme.h"

namespace ganscale::training {

const Scheme& find_scheme(SchemeTable table, std::string_view name) {
  for (const Scheme& scheme : table) {
    if (scheme.keys.name == name) return scheme;
  }
  throw ConfigError("scheme.name: there is no such scheme: " + std::string(name));
}

std::vector<SchemeKeys> scheme_keys(SchemeTable table) {
  std::vector<SchemeKeys> keys;
  for (const Scheme& scheme : table) keys.push_back(scheme.keys);
  return keys;
}

}  // namespace ganscale::training
