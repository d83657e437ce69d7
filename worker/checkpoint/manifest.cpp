#include "checkpoint/manifest.h"

#include "base/error.h"
#include "files/sha256.h"

namespace ganscale::checkpoint {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kFormat = "ganscale-checkpoint";
constexpr int kVersion = 1;
constexpr std::string_view kOwnDigest = "manifest_sha256";

std::string digest(const Json& manifest) {
  const auto text = manifest.dump();
  files::Sha256 sha256;
  sha256.update(std::as_bytes(std::span(text)));
  return sha256.finish();
}

files::FileDigest parse_file(const std::string& name, const Json& entry) {
  const bool is_plain = !name.empty() && name.find('/') == std::string::npos && name[0] != '.';
  if (!is_plain) throw DataError("not a file name inside the checkpoint: " + name);
  return {entry.at("size_bytes").get<std::int64_t>(), entry.at("sha256").get<std::string>()};
}

/// Throws DataError or a JSON exception; neither names the file.
Manifest parse(std::string_view text) {
  auto json = Json::parse(text);
  if (json.at("format") != kFormat) throw DataError("not a checkpoint manifest");
  if (json.at("version") != kVersion) {
    throw DataError("written by an incompatible version of ganscale: " + json["version"].dump() +
                    ", expected " + std::to_string(kVersion));
  }
  const auto expected = json.at(kOwnDigest).get<std::string>();
  json.erase(std::string(kOwnDigest));
  if (digest(json) != expected) throw DataError("the content does not match its SHA-256");

  Manifest manifest;
  manifest.images_seen = json.at("images_seen").get<std::int64_t>();
  manifest.metrics = json.at("metrics").get<std::map<std::string, double>>();
  for (const auto& [name, entry] : json.at("files").items()) {
    manifest.files.emplace(name, parse_file(name, entry));
  }
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
