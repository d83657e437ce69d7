#include "training/generators/label_bundle_metadata.h"

#include <exception>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/error.h"
#include "training/run/run_facts.h"

namespace ganscale::training {
namespace {

using Json = nlohmann::json;

std::int64_t integer_between(std::int64_t least, std::int64_t most, const Json& json) {
  if (!json.is_number_integer()) throw std::invalid_argument("not an integer");
  const auto integer = json.get<std::int64_t>();
  if (integer < least || integer > most) throw std::invalid_argument("out of range");
  return integer;
}

std::vector<double> probabilities_in(const Json& json) {
  auto probabilities = json.get<std::vector<double>>();
  if (!are_probabilities(probabilities)) throw std::invalid_argument("out of range");
  return probabilities;
}

std::vector<std::string> names_in(const Json& json, std::size_t label_count) {
  auto names = json.get<std::vector<std::string>>();
  if (!names.empty() && names.size() != label_count)
    throw std::invalid_argument("not a name per label");
  return names;
}

/// Returns what `read` makes of the JSON of a key.
template <class Read>
auto value_of(const checkpoint::Metadata& metadata, const std::string& key,
              const std::filesystem::path& file, const Read& read) {
  try {
    return read(Json::parse(metadata.at(key)));
  } catch (const std::exception&) {
    throw DataError("not a bundle of labeled generators, its metadata lacks " + key + ": " +
                    file.string());
  }
}

}  // namespace

LabelBundleMetadata parse_label_bundle_metadata(const checkpoint::Metadata& metadata,
                                                const std::filesystem::path& file) {
  constexpr std::int64_t kMostChannels = 3;
  const auto kind = metadata.find("kind");
  if (kind == metadata.end() || kind->second != kLabelBundleKind)
    throw DataError("not a bundle of labeled generators: " + file.string());
  const auto config = metadata.find("config");
  if (config == metadata.end())
    throw DataError("the bundle's metadata lacks config: " + file.string());
  LabelBundleMetadata result;
  result.config = config->second;
  result.channels = static_cast<int>(value_of(metadata, "channels", file, [](const Json& json) {
    return integer_between(1, kMostChannels, json);
  }));
  result.label_probabilities = value_of(metadata, "label_probabilities", file, probabilities_in);
  if (metadata.contains("label_names")) {
    result.label_names = value_of(metadata, "label_names", file, [&](const Json& json) {
      return names_in(json, result.label_probabilities.size());
    });
  }
  result.images_seen = value_of(metadata, "images_seen", file, [](const Json& json) {
    return integer_between(0, std::numeric_limits<std::int64_t>::max(), json);
  });
  return result;
}

}  // namespace ganscale::training
