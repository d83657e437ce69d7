#pragma once

#include <functional>
#include <string>

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

/// Returns the Refusal that a check throws; BadSpec for a ConfigError or a value of another type.
Refusal refusal_of(const std::function<void()>& check);

}  // namespace ganscale::controller
