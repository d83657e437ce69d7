#include "cli/serve/image_request.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/error.h"
#include "config/units.h"

namespace ganscale::cli {
namespace {

constexpr std::string_view kToken = "token";  // belongs to the server
constexpr std::array<std::string_view, 6> kKnown{"seed",    "class", "truncation",
                                                 "walk_to", "t",     kToken};

[[noreturn]] void refuse(const std::string& name, const std::string& value,
                         const std::string& expected) {
  throw UsageError(name + ": expected " + expected + ": " + value);
}

std::optional<std::string> find(const Query& query, const std::string& name) {
  const auto found = query.find(name);
  return found == query.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::int64_t> parse_seed(const Query& query, const std::string& name) {
  const auto text = find(query, name);
  if (!text) return std::nullopt;
  const auto seed = config::parse_integer(*text);
  if (!seed || *seed < 0 || *seed > kHighestSeed)
    refuse(name, *text, "a whole number from 0 to " + std::to_string(kHighestSeed));
  return seed;
}

std::optional<double> parse_within(const Query& query, const std::string& name, Limits limits) {
  const auto text = find(query, name);
  if (!text) return std::nullopt;
  const auto number = config::parse_number(*text);
  if (!number || *number < limits.least || *number > limits.most) {
    refuse(name, *text,
           "a number from " + config::format_number(limits.least) + " to " +
               config::format_number(limits.most));
  }
  return number;
}

std::optional<double> parse_truncation(const Query& query, const Choices& choices) {
  if (choices.truncation) return parse_within(query, "truncation", *choices.truncation);
  if (const auto text = find(query, "truncation"))
    refuse("truncation", *text, "none, since this model has no truncation");
  return std::nullopt;
}

std::optional<std::int64_t> parse_label(const Query& query,
                                        const std::vector<std::int64_t>& labels) {
  const auto text = find(query, "class");
  if (labels.empty()) {
    if (text) refuse("class", *text, "none, since this model has no labels");
    return std::nullopt;
  }
  if (!text) return labels.front();
  const auto label = config::parse_integer(*text);
  if (!label || std::ranges::find(labels, *label) == labels.end()) {
    refuse("class", *text,
           "the number of a label with a generator, from " + std::to_string(labels.front()) +
               " to " + std::to_string(labels.back()));
  }
  return label;
}

}  // namespace

ImageRequest parse_image_request(const Query& query, const Choices& choices) {
  for (const auto& [name, value] : query) {
    if (std::ranges::find(kKnown, name) == kKnown.end())
      refuse(name, value, "seed, class, truncation, walk_to or t");
  }
  const auto walk_to = parse_seed(query, "walk_to");
  const auto t = parse_within(query, "t", {0, 1});
  if (t && !walk_to) refuse("t", query.at("t"), "walk_to with it, the seed where the walk ends");
  return {.seed = parse_seed(query, "seed").value_or(0),
          .label = parse_label(query, choices.labels),
          .truncation = parse_truncation(query, choices),
          .walk_to = walk_to,
          .t = t.value_or(0)};
}

}  // namespace ganscale::cli
