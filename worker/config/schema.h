#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "config/section.h"

namespace ganscale::config {

/// Returns all keys that `parse` can read, in order, each with the first default it has.
///
/// The keys may depend on a choice (of an optimizer, of a model), so every value of every choice is
/// tried. Errors on the way, such as a resolution that a model does not have, are ignored.
std::vector<Entry> all_entries(const std::function<void(Section)>& parse);

/// The values that a key may have if a choice has a certain value.
struct Restriction {
  std::string choice;  ///< dotted: "model.name"
  std::string value;   ///< of the choice: "dcgan"
  /// The choice has this value, too, if none of these keys of its section is written; empty: it
  /// must be written.
  std::vector<std::string> default_without = {};
  std::string key;  ///< dotted: "model.resolution"
  std::vector<std::variant<std::int64_t, std::string>> allowed = {};
  bool allows_pairs = false;  ///< also lists of two of them, as of a height and a width
};

/// Returns a JSON schema (draft 7) that accepts these keys and no others, with these restrictions.
std::string to_json_schema(const std::vector<Entry>& entries,
                           const std::vector<Restriction>& restrictions = {});

}  // namespace ganscale::config
