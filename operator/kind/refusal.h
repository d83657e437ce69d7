#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "object/json.h"

namespace ganscale::controller {

/// What is wrong with a resource, for the condition Validated.
struct Refusal {
  std::string reason;   ///< one word; empty: nothing
  std::string problem;  ///< for people, with the key
};

/// Reasons for missing objects: they pass without an edit once the object exists.
inline constexpr const char* kMissingClaim = "MissingClaim";
inline constexpr const char* kMissingConfigMap = "MissingConfigMap";

/// Whether the fault may pass without an edit.
bool may_pass(const Refusal& refusal);

/// Returns why the API server refused what was made of the spec of this generation, as the
/// condition Reconciled of a status says; empty if it did not.
Refusal refusal_of_server(const Json& status, std::int64_t generation);

/// Returns the Refusal that a check throws; BadSpec for a ConfigError or a value of another type.
Refusal refusal_of(const std::function<void()>& check);

}  // namespace ganscale::controller
