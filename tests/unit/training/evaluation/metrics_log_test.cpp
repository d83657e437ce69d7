#include "training/evaluation/metrics_log.h"

#include <gmock/gmock.h>

#include <chrono>
#include <limits>

#include "files/atomic_file.h"
#include "report/log/stats_log.h"
#include "support/temporary_folder.h"

namespace ganscale::training {
namespace {

MetricsLine line_at(std::int64_t images_seen, double fid = 12.5) {
  return {.images_seen = images_seen,
          .seconds = 3,
          .measured = {.values = {{"fid50k", fid}}, .by_label = {}}};
}

TEST(MetricsLog, LineReportsTheTimeAndTheMetrics) {
  auto line = line_at(4500);
  line.measured.by_label["fid50k_labels"] = {1, 2};
  line.measured.label_shares = "data";
  EXPECT_EQ(to_json(line).dump(), R"({"images_seen":4500,"kimg":4.5,"seconds":3.0,"labels":"data",)"
                                  R"("fid50k":12.5,"fid50k_labels":[1.0,2.0]})");
}

TEST(MetricsLog, LineReportsTheTrainingTimeIfKnown) {
  auto line = line_at(4500);
  line.training_seconds = 7.5;
  EXPECT_EQ(to_json(line)["training_seconds"], 7.5);
  EXPECT_FALSE(to_json(line_at(4500)).contains("training_seconds"));
}

TEST(MetricsLog, WritesNullForNaN) {
  const auto json = to_json(line_at(0, std::numeric_limits<double>::quiet_NaN()));
  EXPECT_THAT(json.dump(), testing::HasSubstr(R"("fid50k":null)"));
}

TEST(MetricsLog, FindsAMetricByTheBeginningOfItsName) {
  const metrics::Measurements measured{.values = {{"fid10k", 3}, {"is50k", 5}, {"kid10k", 7}},
                                       .by_label = {}};
  EXPECT_EQ(first_value(measured, "fid"), 3);
  EXPECT_EQ(first_value(measured, "is"), 5);
  EXPECT_EQ(first_value(measured, "pr"), std::nullopt);
  EXPECT_EQ(first_value({}, "fid"), std::nullopt);
}

class MetricsFile : public testing::Test {
 protected:
  const TemporaryFolder folder_;
  const std::filesystem::path file_ = folder_ / "metrics.jsonl";
};

TEST_F(MetricsFile, ReturnsItsNewestLine) {
  EXPECT_EQ(newest_images_seen(file_), std::nullopt);
  append_if_newest(file_, line_at(1000));
  append_if_newest(file_, line_at(2000));
  EXPECT_EQ(newest_images_seen(file_), 2000);
}

TEST_F(MetricsFile, HasTheValuesOfAllLinesOfAMoment) {
  EXPECT_FALSE(has_values(file_, 2000, {"fid50k"}));
  append_if_newest(file_, line_at(1000));
  EXPECT_FALSE(has_values(file_, 2000, {"fid50k"})) << "it is of an earlier moment";
  append_if_newest(file_, line_at(2000));
  EXPECT_TRUE(has_values(file_, 2000, {"fid50k"}));
  EXPECT_FALSE(has_values(file_, 2000, {"fid50k", "is50k"}));
  append_if_newest(file_, {2000, 3, {.values = {{"is50k", 5}}, .by_label = {}}});
  EXPECT_TRUE(has_values(file_, 2000, {"fid50k", "is50k"}));
  EXPECT_FALSE(has_values(file_, 1000, {"is50k"})) << "it is of a later moment";
}

TEST_F(MetricsFile, KnowsWhenALineWasWritten) {
  const auto now = [] {
    const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration<double>(since_1970).count();
  };
  const double before = now();
  append_if_newest(file_, line_at(1000));
  const double written = report::read_json_lines(file_).at(0).at("unix_seconds");
  EXPECT_GE(written, before - 0.001) << "to the millisecond";
  EXPECT_LE(written, now());
}

TEST_F(MetricsFile, TakesNoLineOlderThanItsNewest) {
  append_if_newest(file_, line_at(2000));
  append_if_newest(file_, line_at(1000));
  EXPECT_EQ(report::read_json_lines(file_).size(), 1);
  append_if_newest(file_, line_at(2000, 10));
  const auto lines = report::read_json_lines(file_);
  ASSERT_EQ(lines.size(), 2) << "the same moment may be measured again";
  EXPECT_EQ(lines.back().at("fid50k"), 10);
}

}  // namespace
}  // namespace ganscale::training
