#pragma once

#include <functional>
#include <string>

namespace ganscale::controller {

/// What is wrong with a resource, for the condition Validated.
struct Refusal {
  std::string reason;   ///< one word; empty: nothing
  std::string problem;  ///< for people, with the key
};

/// Reasons of what another object lacks: it passes without an edit when that comes.
inline constexpr const char* kMissingClaim = "MissingClaim";
inline constexpr const char* kMissingConfigMap = "MissingConfigMap";

/// Whether what is wrong may pass without an edit.
bool may_pass(const Refusal& refusal);

/// Returns the Refusal that a check throws, or what a ConfigError or a value of another type, which
/// it may throw as well, amounts to: BadSpec.
Refusal refusal_of(const std::function<void()>& check);

}  // namespace ganscale::controller
