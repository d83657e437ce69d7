#include "training/evaluation/other_settings.h"

#include "support/temporary_folder.h"
#include "unit/training/parse_text.h"

namespace ganscale::training {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr bool kSameData = true;
constexpr const char* kMeasured =
    "data: {path: photos}\nevaluate: {metrics: [fid50k], feature_net: a.pt, ";

std::vector<std::string> changed(const std::string& of_run, const std::string& now,
                                 bool is_same_data = kSameData) {
  return other_settings(parse(of_run), parse(now), is_same_data);
}

TEST(OtherSettings, AreThoseThatChangeValues) {
  const std::string run = std::string(kMeasured) + "splits: 10}\n";
  EXPECT_THAT(changed(run, run), IsEmpty());
  EXPECT_THAT(changed(run, std::string(kMeasured) +
                               "batch: 7, cache: there, every_kimg: 9}\n"
                               "training: {threads: 3}\ncomm: {expected_world_size: 4}\n"),
              IsEmpty());
  EXPECT_THAT(
      changed(run, std::string(kMeasured) + "splits: 5}\ntraining: {seed: 7}\n"),
      testing::UnorderedElementsAre("evaluate.splits: 10 -> 5", "training.seed: 1000 -> 7"));
}

TEST(OtherSettings, AreOtherDataAndHowTheyAreDecoded) {
  const std::string run = "data: {path: photos, shuffle: true, fit: pad}\n";
  const std::string now = "data: {path: others, shuffle: false, fit: pad}\n";
  EXPECT_THAT(changed(run, now, !kSameData), ElementsAre("data.path: photos -> others"));
  EXPECT_THAT(changed(run, now), IsEmpty());
  EXPECT_THAT(changed(run, "data: {path: photos, fit: resize}\n"),
              ElementsAre("data.fit: pad -> resize"));
}

TEST(OtherSettings, AreNoneOfWhatTheRunLacks) {
  EXPECT_THAT(changed("{}", "data: {path: photos, fit: resize}\n", !kSameData), IsEmpty())
      << "an imported run";
  EXPECT_THAT(changed("data: {path: photos}\nevaluate: {feature_net: a.pt}\n",
                      "data: {path: photos}\nevaluate: {metrics: [is50k], feature_net: b.pt, "
                      "splits: 5}\n"),
              IsEmpty())
      << "without metrics";
  EXPECT_THAT(changed(std::string(kMeasured) + "splits: 10}\n",
                      std::string(kMeasured) + "perceptual_net: vgg16.pt}\n"),
              IsEmpty());
}

TEST(OtherSettings, AreNetworksOfOtherFiles) {
  const TemporaryFolder folder;
  const std::string first = folder.write("first.pt", "weights");
  const std::string copy = folder.write("copy.pt", "weights");
  const std::string other = folder.write("other.pt", "other weights");
  const auto with = [](const std::string& net, const std::string& sha256 = "") {
    return "data: {path: photos}\nevaluate: {metrics: [fid50k], feature_net: " + net +
           ", feature_net_sha256: '" + sha256 + "'}\n";
  };
  EXPECT_THAT(changed(with(first), with(copy)), IsEmpty());
  EXPECT_THAT(changed(with(first), with(first, "0a")), IsEmpty());
  EXPECT_THAT(changed(with(first), with(other)),
              ElementsAre("evaluate.feature_net: " + first + " -> " + other));
  EXPECT_THAT(changed(with("/gone.pt"), with(other)), testing::SizeIs(1));
  EXPECT_THAT(changed(with("/gone.pt", "0a"), with(other, "0a")), IsEmpty());
  EXPECT_THAT(changed(with(first, "0a"), with(first, "0b")),
              ElementsAre("evaluate.feature_net_sha256: 0a -> 0b"));
}

}  // namespace
}  // namespace ganscale::training
