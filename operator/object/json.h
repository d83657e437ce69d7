#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace ganscale::controller {

/// A JSON value whose objects are ordered by key: the same content gives the same text.
using Json = nlohmann::json;

/// Parses what a server sent; returns a discarded value (is_discarded()) if it is not JSON. Leaves
/// out values nested deeper than 100 levels: copying or writing them could overflow the stack.
Json parse_json(std::string_view text);

/// Returns a value as ASCII on one line, at most 200 characters of it: what cannot be seen, or would
/// be seen elsewhere, is written as its number.
std::string shown(const Json& value);

}  // namespace ganscale::controller
