#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "object/json.h"
#include "object/time.h"

namespace ganscale::controller {

/// One entry of `.status.conditions`.
struct Condition {
  std::string_view type;  ///< a constant: not copied
  bool holds;
  std::string reason;  ///< one word
  std::string message;
};

/// Adds or replaces a condition of a status. `generation`: of the observed object. The
/// lastTransitionTime changes only when the condition's status does; other conditions are kept.
void set_condition(Json& status, const Condition& condition, std::int64_t generation, Time now);

/// Returns the entry of that type; null if there is none.
Json find_condition(const Json& status, std::string_view type);

}  // namespace ganscale::controller
