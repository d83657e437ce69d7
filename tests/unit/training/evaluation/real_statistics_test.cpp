#include "training/evaluation/real_statistics.h"

#include <ATen/ATen.h>

#include <atomic>
#include <fstream>
#include <functional>
#include <limits>

#include "comm/backends/thread_group.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"
#include "unit/data/fake_source.h"

namespace ganscale::training {
namespace {

constexpr std::int64_t kRecordCount = 10;
constexpr int kLabelCount = 3;

/// Features of a 2 x 2 image: its first pixel, which is the record's number, and its third. Counts
/// the images that it sees.
class FirstPixels : public metrics::FeatureNet {
 public:
  FirstPixels(std::atomic<std::int64_t>& seen, std::int64_t nan_of)
      : seen_(seen), nan_of_(nan_of) {}

  metrics::Features compute(const at::Tensor& images, metrics::WantedOutputs wanted) override {
    EXPECT_TRUE(wanted.features);
    EXPECT_FALSE(wanted.logits);
    seen_ += images.size(0);
    auto features = images.flatten(1).index_select(1, at::tensor({0, 2})).to(at::kFloat);
    features.masked_fill_(features.slice(1, 0, 1).eq(nan_of_),
                          std::numeric_limits<float>::quiet_NaN());
    return {features, {}};
  }

 private:
  std::atomic<std::int64_t>& seen_;
  std::int64_t nan_of_;
};

class RealStatistics : public testing::Test {
 protected:
  RealStatistics() {
    config_.cache = folder_ / "cache";
    config_.batch = 4;
  }

  RealImages images(comm::Group& group) const {
    return {.source = source_, .policy = policy_, .digest = data_digest(source_, group)};
  }

  metrics::FeatureStats statistics(comm::Group& group, const metrics::Needs& needs) {
    metrics::OpenFeatureNet net{.net = std::make_unique<FirstPixels>(seen_, nan_of_),
                                .feature_count = 2,
                                .class_count = 0,
                                .sha256 = sha256_};
    return real_statistics(images(group), net, needs, config_, group);
  }
  metrics::FeatureStats features() { return statistics(*alone_, {.features = true}); }

  std::vector<std::filesystem::path> cached() const {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(config_.cache)) {
      files.push_back(entry.path());
    }
    return files;
  }

  const TemporaryFolder folder_;
  const std::unique_ptr<comm::Group> alone_ = comm::make_single_group();
  metrics::EvaluateConfig config_;
  data::DecodePolicy policy_{.channels = 1, .resolution = 2};
  data::FakeSource source_{kRecordCount, kLabelCount};
  std::atomic<std::int64_t> seen_ = 0;
  std::int64_t nan_of_ = -1;
  std::string sha256_ = "of the network";
};

TEST_F(RealStatistics, AreOfEveryRecordInItsOrder) {
  const auto stats = features();
  EXPECT_EQ(stats.image_count(), kRecordCount);
  const auto numbers = at::arange(kRecordCount, at::kFloat);
  EXPECT_TRUE(at::equal(stats.features(), at::stack({numbers, numbers * 2}, 1)));
  EXPECT_TRUE(at::equal(stats.labels(), at::arange(kRecordCount).remainder(kLabelCount)));
}

TEST_F(RealStatistics, AreOfRecordsAllOverTheDatasetIfFewerAreAskedFor) {
  RealImages some = images(*alone_);
  some.count = kRecordCount / 2 + 1;
  metrics::OpenFeatureNet net{.net = std::make_unique<FirstPixels>(seen_, nan_of_),
                              .feature_count = 2,
                              .class_count = 0,
                              .sha256 = sha256_};
  const auto stats = real_statistics(some, net, {.features = true}, config_, *alone_);
  EXPECT_EQ(seen_, some.count);
  const auto numbers = stats.features().select(1, 0);
  EXPECT_EQ(numbers[0].item<std::int64_t>(), 0);
  EXPECT_GE(numbers[-1].item<std::int64_t>(), kRecordCount - 3);
  const auto gaps = numbers.diff();
  EXPECT_GE(gaps.min().item<double>(), 1);
  EXPECT_LE(gaps.max().item<double>(), 2);
  EXPECT_TRUE(at::equal(stats.labels(), numbers.to(at::kLong).remainder(kLabelCount)));
  features();
  EXPECT_EQ(cached().size(), 2) << "a file for each number of images";
}

TEST_F(RealStatistics, AreTheSameOnAnyNumberOfRanks) {
  const metrics::Needs both{.moments = true, .features = true};
  const auto expected = statistics(*alone_, both).state();
  for (const int ranks : {2, 3}) {
    std::filesystem::remove_all(config_.cache);
    seen_ = 0;
    comm::run_ranks(ranks, [&](comm::Group& group) {
      const auto state = statistics(group, both).state();
      ASSERT_EQ(state.size(), expected.size());
      for (const auto& [name, value] : expected) {
        EXPECT_TRUE(at::allclose(state.at(name), value, 1e-12, 1e-12)) << name;
      }
    });
    EXPECT_EQ(seen_, kRecordCount) << "the ranks share out the images";
  }
}

TEST_F(RealStatistics, AreFoundInTheirFileTheNextTime) {
  const auto first = features();
  EXPECT_EQ(seen_, kRecordCount);
  const auto second = features();
  EXPECT_EQ(seen_, kRecordCount);
  EXPECT_TRUE(at::equal(second.features(), first.features()));
  EXPECT_TRUE(at::equal(second.labels(), first.labels()));
}

TEST_F(RealStatistics, RemoveWhatKilledProcessesWroteInPlaceOfTheFile) {
  features();
  const auto file = cached().at(0);
  std::filesystem::rename(file, file.string() + ".0123456789abcdef.tmp");
  features();
  EXPECT_THAT(cached(), testing::ElementsAre(file));
}

TEST_F(RealStatistics, OfTheFileReachEveryRank) {
  const auto expected = features().features();
  comm::run_ranks(3, [&](comm::Group& group) {
    EXPECT_TRUE(at::equal(statistics(group, {.features = true}).features(), expected));
  });
  EXPECT_EQ(seen_, kRecordCount);
}

// Whatever the features depend on is part of the file's name.
TEST_F(RealStatistics, OfOtherSettingsAreInAnotherFile) {
  features();
  statistics(*alone_, {.moments = true});
  std::size_t files = 2;
  EXPECT_EQ(cached().size(), files);
  const std::vector<std::function<void()>> changes = {
      [&] { sha256_ = "of another network"; },
      [&] { policy_.fit = data::Fit::kPad; },
      [&] { policy_.resolution = 4; },
      [&] { policy_.convert_colors = true; },
      [&] { policy_.channels = 3; },
      [&] { policy_.background = {0, 255, 255}; },
      [&] { config_.feature_net.resolution = 32; },
      [&] { config_.feature_net.signed_range = true; },
  };
  for (const auto& change : changes) {
    change();
    features();
    EXPECT_EQ(cached().size(), ++files);
  }
  EXPECT_EQ(seen_, static_cast<std::int64_t>(files) * kRecordCount);
}

TEST_F(RealStatistics, AreComputedAgainIfTheFileIsDamaged) {
  const auto expected = features().features();
  ASSERT_EQ(cached().size(), 1);
  std::ofstream(cached().front()) << "no tensors";
  EXPECT_TRUE(at::equal(features().features(), expected));
  EXPECT_EQ(seen_, 2 * kRecordCount);
  features();
  EXPECT_EQ(seen_, 2 * kRecordCount) << "the file is whole again";
}

TEST_F(RealStatistics, AreComputedIfNothingCanBeCached) {
  const auto expected = features().features();
  config_.cache = "/proc/none";
  EXPECT_TRUE(at::equal(features().features(), expected));
}

TEST_F(RealStatistics, NameTheRecordWhoseFeaturesAreNotFinite) {
  nan_of_ = 6;
  expect_error(ExitCode::kData, "NaN or infinity for a real image: fake, record 6",
               [&] { features(); });
  EXPECT_FALSE(std::filesystem::exists(config_.cache));
}

TEST(DataDigest, IsTheSameOnAnyNumberOfRanks) {
  const data::FakeSource source(kRecordCount, kLabelCount);
  const auto expected = data_digest(source, *comm::make_single_group());
  EXPECT_EQ(expected.size(), 64);
  for (const int ranks : {2, 3}) {
    comm::run_ranks(ranks,
                    [&](comm::Group& group) { EXPECT_EQ(data_digest(source, group), expected); });
  }
}

TEST(DataDigest, DependsOnRecordsAndLabels) {
  const auto alone = comm::make_single_group();
  const auto digest = [&](std::int64_t record_count, std::int64_t label_count) {
    return data_digest(data::FakeSource(record_count, label_count), *alone);
  };
  EXPECT_EQ(digest(kRecordCount, kLabelCount), digest(kRecordCount, kLabelCount));
  EXPECT_NE(digest(kRecordCount, kLabelCount), digest(kRecordCount - 1, kLabelCount));
  EXPECT_NE(digest(kRecordCount, kLabelCount), digest(kRecordCount, kLabelCount + 1));
  EXPECT_NE(digest(kRecordCount, kLabelCount), digest(kRecordCount, 0));
}

TEST(DecodeRecords, GivesTheRecordsInTheOrderAskedFor) {
  const data::FakeSource source(1000);
  const RealImages real{source, {.channels = 1, .resolution = 2}};
  const auto images = decode_records(real, {300, 7});
  const std::vector<int> pixels = {300 % 256, 1, 600 % 256, 0, 7, 0, 14, 0};
  EXPECT_TRUE(at::equal(images, at::tensor(pixels, at::kByte).view({2, 1, 2, 2})));
}

TEST(DecodeRecords, NamesTheRecordThatItCannotDecode) {
  data::FakeSource source(kRecordCount);
  source.undecodable = {7};
  const RealImages real{source, {.channels = 1, .resolution = 2}};
  expect_error(ExitCode::kData, "fake, record 7", [&] { decode_records(real, {6, 7}); });
  source.unreadable = {6};
  expect_error(ExitCode::kData, "checksum differs: fake, record 6",
               [&] { decode_records(real, {6}); });
}

}  // namespace
}  // namespace ganscale::training
