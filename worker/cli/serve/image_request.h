#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ganscale::cli {

/// The parameters of a request, by name.
using Query = std::map<std::string, std::string>;

/// The numbers from which to choose.
struct Limits {
  double least = 0;
  double most = 0;
};

/// What can be chosen for an image of a generator.
struct Choices {
  std::optional<Limits> truncation;  ///< `most` truncates nothing, or next to nothing
  std::vector<std::int64_t> labels;  ///< empty: the generator is unconditional
};

/// An image to generate.
struct ImageRequest {
  std::int64_t seed = 0;
  std::optional<std::int64_t> label = {};    ///< of a conditional generator
  std::optional<double> truncation = {};     ///< none: no truncation
  std::optional<std::int64_t> walk_to = {};  ///< the seed where a walk from `seed` ends
  double t = 0;                              ///< the share of the walk that is done, 0 to 1
  bool operator==(const ImageRequest&) const = default;
};

inline constexpr std::int64_t kHighestSeed = 999'999'999;

/// Parses seed, class (the first label by default), truncation, walk_to and t.
///
/// Throws: UsageError with the parameter, its value and what is expected, also for parameters that
///         the generator does not have, and for t without walk_to.
ImageRequest parse_image_request(const Query& query, const Choices& choices);

}  // namespace ganscale::cli
