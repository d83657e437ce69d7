#pragma once

#include <functional>
#include <string>
#include <vector>

#include "config/section.h"

namespace ganscale::config {

/// Returns all keys that `parse` can read, in order, each with the first default it has.
///
/// The keys may depend on a choice (of an optimizer, of a model), so every value of every choice is
/// tried. Errors on the way, such as a resolution that a model does not have, are ignored.
std::vector<Entry> all_entries(const std::function<void(Section)>& parse);

/// Returns a JSON schema (draft 7) that accepts these keys and no others.
std::string to_json_schema(const std::vector<Entry>& entries);

}  // namespace ganscale::config
