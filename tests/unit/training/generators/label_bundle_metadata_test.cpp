#include "training/generators/label_bundle_metadata.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/expect_error.h"

namespace ganscale::training {
namespace {

constexpr const char* kBundleFile = "run/bundle.safetensors";

checkpoint::Metadata whole_metadata() {
  return {{"kind", "label_bundle"},
          {"config", "model: {name: dcgan}\n"},
          {"channels", "1"},
          {"label_count", "2"},
          {"label_probabilities", "[0.75,0.25]"},
          {"label_names", "[\"cat\",\"dog\"]"},
          {"images_seen", "800"}};
}

/// Parses metadata with another value of one key.
LabelBundleMetadata bundle_with(const std::string& key, const std::string& value) {
  auto metadata = whole_metadata();
  metadata[key] = value;
  return parse_label_bundle_metadata(metadata, kBundleFile);
}

LabelBundleMetadata bundle_without(const std::string& key) {
  auto metadata = whole_metadata();
  metadata.erase(key);
  return parse_label_bundle_metadata(metadata, kBundleFile);
}

/// Expects a DataError with this message, and the file, for metadata without the key.
void expect_missing(const std::string& message, const std::string& key) {
  expect_error(ExitCode::kData, message + ": run/bundle.safetensors", [&] { bundle_without(key); });
}

/// Expects that metadata with these values of a key are refused.
void expect_bad_values(const std::string& key, const std::vector<std::string>& values) {
  for (const auto& value : values) {
    SCOPED_TRACE(key + " is " + value);
    expect_error(ExitCode::kData,
                 "not a bundle of labeled generators, its metadata lacks " + key +
                     ": run/bundle.safetensors",
                 [&] { bundle_with(key, value); });
  }
}

TEST(LabelBundleMetadata, SayWhatTheBundleHolds) {
  const auto bundle = parse_label_bundle_metadata(whole_metadata(), kBundleFile);
  EXPECT_EQ(bundle.config, "model: {name: dcgan}\n");
  EXPECT_EQ(bundle.channels, 1);
  EXPECT_EQ(bundle.label_probabilities, (std::vector<double>{0.75, 0.25}));
  EXPECT_EQ(bundle.label_names, (std::vector<std::string>{"cat", "dog"}));
  EXPECT_EQ(bundle.images_seen, 800);
}

TEST(LabelBundleMetadata, OfOtherFilesAreRefused) {
  expect_missing("not a bundle of labeled generators", "kind");
  for (const char* kind : {"", "checkpoint", "Label_bundle", "label_bundle "}) {
    expect_error(ExitCode::kData, "not a bundle of labeled generators: run/bundle.safetensors",
                 [&] { bundle_with("kind", kind); });
  }
  expect_error(ExitCode::kData, "not a bundle of labeled generators: other.safetensors",
               [] { parse_label_bundle_metadata({}, "other.safetensors"); });
}

TEST(LabelBundleMetadata, NeedTheirKeys) {
  expect_missing("the bundle's metadata lacks config", "config");
  for (const std::string key : {"channels", "label_probabilities", "images_seen"})
    expect_missing("not a bundle of labeled generators, its metadata lacks " + key, key);
}

TEST(LabelBundleMetadata, AreRefusedIfTheyAreNotJson) {
  for (const char* key : {"channels", "label_probabilities", "label_names", "images_seen"})
    expect_bad_values(key, {"", "?", "[1", "1]", "null"});
}

TEST(LabelBundleMetadata, HaveOneToThreeChannels) {
  EXPECT_EQ(bundle_with("channels", "3").channels, 3);
  expect_bad_values("channels", {"0", "4", "-1", "4294967297", "18446744073709551615", "1.0",
                                 "1e300", "true", "\"1\"", "[1]", "{}"});
}

TEST(LabelBundleMetadata, HaveProbabilitiesFromZeroToOne) {
  EXPECT_EQ(bundle_with("label_probabilities", "[1,0]").label_probabilities,
            (std::vector<double>{1, 0}));
  expect_bad_values("label_probabilities",
                    {"[1.001,0]", "[0.5,-0.001]", "[2,0]", "[1e999,0]", "[NaN,1]", "[\"1\",\"0\"]",
                     "[null,1]", "[[1,0]]", "{\"0\":1}", "1", "[0,0]", "[]"});
}

TEST(LabelBundleMetadata, MayHaveANameForEachLabel) {
  EXPECT_TRUE(bundle_without("label_names").label_names.empty());
  EXPECT_TRUE(bundle_with("label_names", "[]").label_names.empty());
  expect_bad_values("label_names", {R"(["cat"])", R"(["cat","dog","owl"])", "[1,2]",
                                    R"(["cat",null])", "\"cat\"", R"({"0":"cat","1":"dog"})"});
}

TEST(LabelBundleMetadata, CountImagesUpToTheLargestInteger) {
  EXPECT_EQ(bundle_with("images_seen", "0").images_seen, 0);
  EXPECT_EQ(bundle_with("images_seen", "9223372036854775807").images_seen, 9223372036854775807);
  expect_bad_values("images_seen", {"-1", "-9223372036854775808", "9223372036854775808",
                                    "18446744073709551616", "800.0", "true", "\"800\"", "[800]"});
}

}  // namespace
}  // namespace ganscale::training
