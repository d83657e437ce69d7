#include "decide/plan_changes.h"

namespace ganscale::controller {
namespace {

bool has_fields(const Json& have, const Json& want) {
  if (!have.is_object()) return want.empty() && have.is_null();
  for (const auto& [key, value] : want.items()) {
    const auto found = have.find(key);
    // The server drops empty maps and lists.
    const bool left_out = value.is_structured() && value.empty();
    if (found == have.end() ? !left_out : !has_all(*found, value)) return false;
  }
  return true;
}

bool has_items(const Json& have, const Json& want) {
  if (!have.is_array() || have.size() != want.size()) return false;
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (!has_all(have[i], want[i])) return false;
  }
  return true;
}

}  // namespace

bool has_all(const Json& have, const Json& want) {
  if (want.is_object()) return has_fields(have, want);
  if (want.is_array()) return has_items(have, want);
  return have == want;
}

}  // namespace ganscale::controller
