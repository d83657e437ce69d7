#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

/// What the lines of a run's files hold. They may be damaged, or edited by others: a member of
/// another type counts as missing.
namespace ganscale::report {

/// Parses JSON. Returns null for other text, and for values nested deeper than 100 levels: copying
/// or writing them could overflow the stack.
nlohmann::ordered_json parse_json(std::string_view text);

/// Returns the value that these keys lead to, or null. Not by a JSON pointer: a key may have any
/// characters.
const nlohmann::ordered_json* find_at(const nlohmann::ordered_json& object,
                                      const std::vector<std::string>& keys);

/// Each returns a member of an object, or `fallback` if there is none.
double number_in(const nlohmann::ordered_json& object, const char* key, double fallback);
std::int64_t integer_in(const nlohmann::ordered_json& object, const char* key,
                        std::int64_t fallback);
/// Returns a member of an object; an empty text if there is none.
std::string text_in(const nlohmann::ordered_json& object, const char* key);

}  // namespace ganscale::report
