#include "cli/serve/parse_query.h"

// cpprestsdk's macro U collides with names of other libraries.
#define _TURN_OFF_PLATFORM_STRING  // NOLINT: theirs, not ours
#include <cpprest/base_uri.h>

#include <sstream>
#include <stdexcept>

namespace ganscale::cli {
namespace {

std::string decoded(const std::string& text) {
  auto result = web::uri::decode(text);
  // The message of an error would end there.
  if (result.find('\0') != std::string::npos)
    throw std::invalid_argument("a query has no character with the number 0");
  return result;
}

/// Throws std::invalid_argument for a parameter without a value, which split_query() leaves out.
void require_values(const std::string& text) {
  std::istringstream parameters(text);
  for (std::string parameter; std::getline(parameters, parameter, '&');) {
    if (parameter.empty() || parameter.find('=') != std::string::npos) continue;
    throw std::invalid_argument("expected NAME=VALUE: " + parameter);
  }
}

}  // namespace

Query parse_query(const std::string& text) {
  require_values(text);
  Query query;
  for (const auto& [name, value] : web::uri::split_query(text))
    query[decoded(name)] = decoded(value);
  return query;
}

}  // namespace ganscale::cli
