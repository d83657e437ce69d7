#include "checkpoint/manifest.h"

#include "base/error.h"
#include "files/sha256.h"

namespace ganscale::checkpoint {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kFormat = "ganscale-checkpoint";
constexpr int kVersion = 1;
constexpr std::string_view kOwnDigest = "manifest_sha256";
constexpr int kDeepestLevel = 100;  // copying and writing recurse with the levels

std::string digest(const Json& manifest) {
  const auto text = manifest.dump();
  files::Sha256 sha256;
  sha256.update(std::as_bytes(std::span(text)));
  return sha256.finish();
}

/// Throws DataError also for a number with a fraction, which may be too large for an integer.
std::int64_t parse_integer(const Json& object, const std::string& key) {
  const Json& number = object.at(key);
  if (!number.is_number_integer()) throw DataError("not an integer: " + key);
  return number.get<std::int64_t>();
}

files::FileDigest parse_file(const std::string& name, const Json& entry) {
  const bool is_plain = !name.empty() && name.find('/') == std::string::npos && name[0] != '.';
  if (!is_plain) throw DataError("not a file name inside the checkpoint: " + name);
  const auto size_bytes = parse_integer(entry, "size_bytes");
  if (size_bytes < 0) throw DataError("a file has a negative size: " + name);
  return {size_bytes, entry.at("sha256").get<std::string>()};
}

std::map<std::string, files::FileDigest> parse_files(const Json& entries) {
  std::map<std::string, files::FileDigest> result;
  std::int64_t total_bytes = 0;
  for (const auto& [name, entry] : entries.items()) {
    const auto file = parse_file(name, entry);
    if (__builtin_add_overflow(total_bytes, file.size_bytes, &total_bytes))
      throw DataError("its files are too large: " + name);
    result.emplace(name, file);
  }
  return result;
}

Json parse_json(std::string_view text) {
  return Json::parse(text, [](int level, Json::parse_event_t, const Json&) {
    if (level > kDeepestLevel) throw DataError("nested too deeply");
    return true;
  });
}

/// Throws DataError or a JSON exception; neither names the file.
Manifest parse(std::string_view text) {
  auto json = parse_json(text);
  if (json.at("format") != kFormat) throw DataError("not a checkpoint manifest");
  if (json.at("version") != kVersion) {
    throw DataError("written by an incompatible version of ganscale: " + json["version"].dump() +
                    ", expected " + std::to_string(kVersion));
  }
  const auto expected = json.at(kOwnDigest).get<std::string>();
  json.erase(std::string(kOwnDigest));
  if (digest(json) != expected) throw DataError("the content does not match its SHA-256");

  Manifest manifest;
  manifest.images_seen = parse_integer(json, "images_seen");
  manifest.metrics = json.at("metrics").get<std::map<std::string, double>>();
  manifest.files = parse_files(json.at("files"));
  manifest.state = json.at("state");
  return manifest;
}

}  // namespace

std::int64_t total_size_bytes(const Manifest& manifest) {
  std::int64_t total_bytes = 0;
  for (const auto& [name, file] : manifest.files) total_bytes += file.size_bytes;
  return total_bytes;
}

std::string format_manifest(const Manifest& manifest) {
  Json json{{"format", kFormat},
            {"version", kVersion},
            {"images_seen", manifest.images_seen},
            {"metrics", manifest.metrics},
            {"files", Json::object()},
            {"state", manifest.state}};
  for (const auto& [name, file] : manifest.files) {
    json["files"][name] = {{"size_bytes", file.size_bytes}, {"sha256", file.sha256}};
  }
  json[std::string(kOwnDigest)] = digest(json);
  return json.dump(2) + "\n";
}

Manifest parse_manifest(std::string_view text, const std::filesystem::path& file) {
  try {
    return parse(text);
  } catch (const Json::exception& error) {
    throw DataError("cannot read the manifest: " + file.string() + ": " + error.what());
  } catch (const DataError& error) {
    throw DataError("cannot read the manifest: " + file.string() + ": " + error.what());
  }
}

}  // namespace ganscale::checkpoint
