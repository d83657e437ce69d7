#include "checkpoint/manifest.h"

#include <gtest/gtest.h>

#include <limits>

#include "files/sha256.h"
#include "support/expect_error.h"

namespace ganscale::checkpoint {
namespace {

Manifest make_manifest() {
  return {4'200'000,
          {{"fid50k", 7.9}},
          {{"generator.safetensors", {12, std::string(64, 'a')}}},
          {{"seed", 18'446'744'073'709'551'615U}, {"rate", 0.1}}};
}

TEST(Manifest, GivesBackWhatWasWritten) {
  const auto read = parse_manifest(format_manifest(make_manifest()), "manifest.json");
  EXPECT_EQ(read.images_seen, 4'200'000);
  EXPECT_EQ(read.metrics, make_manifest().metrics);
  EXPECT_EQ(read.files, make_manifest().files);
  EXPECT_EQ(read.state, make_manifest().state);
}

TEST(Manifest, WithAnyDigitOrLetterChangedIsADataError) {
  const auto text = format_manifest(make_manifest());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (std::isalnum(static_cast<unsigned char>(text[i])) == 0) continue;
    auto changed = text;
    changed[i] = changed[i] == '1' ? '2' : '1';
    expect_error(ExitCode::kData, "cannot read the manifest: manifest.json: ", [&] {
      parse_manifest(changed, "manifest.json");
    });
  }
}

TEST(Manifest, CutOffAnywhereIsADataError) {
  const auto text = format_manifest(make_manifest());
  // The last two bytes are the closing brace and the end of the line.
  for (std::size_t length = 0; length + 2 <= text.size(); ++length) {
    expect_error(ExitCode::kData, "cannot read the manifest: manifest.json: ", [&] {
      parse_manifest(text.substr(0, length), "manifest.json");
    });
  }
}

TEST(Manifest, MayNotNameAFileOutsideOfItsFolder) {
  auto manifest = make_manifest();
  manifest.files = {{"../../etc/passwd", {1, ""}}};
  expect_error(ExitCode::kData, "not a file name inside the checkpoint: ../../etc/passwd",
               [&] { parse_manifest(format_manifest(manifest), "manifest.json"); });
}

TEST(Manifest, MayNotSayThatItsFilesAreLargerThanAnyFileSystem) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  auto manifest = make_manifest();
  manifest.files = {{"a", {kMost, ""}}, {"b", {1, ""}}};
  expect_error(ExitCode::kData, "its files are too large: b",
               [&] { parse_manifest(format_manifest(manifest), "manifest.json"); });
  manifest.files = {{"a", {-1, ""}}};
  expect_error(ExitCode::kData, "a file has a negative size: a",
               [&] { parse_manifest(format_manifest(manifest), "manifest.json"); });
}

TEST(Manifest, WithANumberThatIsNoIntegerIsADataError) {
  auto json = nlohmann::ordered_json::parse(format_manifest(make_manifest()));
  json.erase("manifest_sha256");
  json["images_seen"] = 1e300;
  const auto text = json.dump();
  files::Sha256 sha256;
  sha256.update(std::as_bytes(std::span(text)));
  json["manifest_sha256"] = sha256.finish();
  expect_error(ExitCode::kData, "not an integer: images_seen",
               [&] { parse_manifest(json.dump(), "manifest.json"); });
}

// Its own SHA-256 is of what is written again, level by level.
TEST(Manifest, NestedTooDeeplyIsADataError) {
  constexpr std::size_t kLevels = 1'000'000;
  expect_error(ExitCode::kData, "cannot read the manifest: manifest.json: nested too deeply", [] {
    parse_manifest(R"({"state": )" + std::string(kLevels, '[') + std::string(kLevels, ']') + "}",
                   "manifest.json");
  });
}

}  // namespace
}  // namespace ganscale::checkpoint
