#include "report/mlflow/mlflow_entities.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace ganscale::report {
namespace {

using nlohmann::ordered_json;
using testing::ElementsAre;
using testing::Pair;

config::Node numbered_keys(int count) {
  std::string yaml;
  for (int i = 0; i < count; ++i) yaml += "key" + std::to_string(i) + ": 1\n";
  return config::parse_yaml(yaml, "config.yaml");
}

/// A line with as many losses as asked for.
ordered_json line_with(std::int64_t images_seen, int losses) {
  ordered_json line{{"images_seen", images_seen}};
  for (int i = 0; i < losses; ++i) line["loss"][std::to_string(i)] = i;
  return line;
}

TEST(MlflowParams, AreDottedKeysWithTheirValues) {
  const auto lists = mlflow_params(config::parse_yaml(
      "model: {name: dcgan, beta: [0, 0.99]}\ndata: {path: ''}\n", "config.yaml"));
  ASSERT_EQ(lists.size(), 1);
  EXPECT_EQ(lists[0].dump(), R"([{"key":"model.name","value":"dcgan"},)"
                             R"({"key":"model.beta","value":"[0, 0.99]"}])");
}

TEST(MlflowParams, ComeInListsOfAHundred) {
  const auto lists = mlflow_params(numbered_keys(201));
  ASSERT_EQ(lists.size(), 3);
  EXPECT_EQ(lists[0].size(), 100);
  EXPECT_EQ(lists[2].size(), 1);
  EXPECT_EQ(lists[2][0]["key"], "key200");
}

TEST(MlflowParams, HaveAtMostAsManyCharactersAsServersTake) {
  const std::string value(7000, 'x');
  const auto lists = mlflow_params(config::parse_yaml("a: " + value + "\n", "config.yaml"));
  EXPECT_EQ(lists[0][0]["value"], value.substr(0, 6000));
}

TEST(MlflowTags, AreTextOrJson) {
  EXPECT_EQ(mlflow_tags({{"host", "a"}, {"devices", {{"cpu", 2}}}, {"odd(name)", 1}}).dump(),
            R"([{"key":"host","value":"a"},{"key":"devices","value":"{\"cpu\":2}"},)"
            R"({"key":"odd_name_","value":"1"}])");
}

TEST(MlflowMetrics, AreTheNumbersByPath) {
  const auto metrics =
      mlflow_metrics({{"images_seen", 1000},
                      {"tick", 3},
                      {"loss", {{"generator", 1.5}, {"discriminator", nullptr}}},
                      {"roles", {{"generator", {{"staleness", ordered_json::object()}}}}},
                      {"labels", "data"},
                      {"fid50k_by_label", {1, 2}}});
  ASSERT_EQ(metrics.size(), 3);
  EXPECT_THAT(metrics[0], Pair("tick", 3));
  EXPECT_THAT(metrics[1], Pair("loss/generator", 1.5));
  EXPECT_EQ(metrics[2].first, "loss/discriminator");
  EXPECT_TRUE(std::isnan(metrics[2].second));
}

TEST(MlflowBatches, HaveImagesSeenForStepsAndTheWordForNaN) {
  const auto batches = mlflow_batches({{{"images_seen", 500}, {"fid50k", nullptr}}}, 7);
  ASSERT_EQ(batches.size(), 1);
  EXPECT_EQ(batches[0].metrics.dump(),
            R"([{"key":"fid50k","value":"NaN","timestamp":7,"step":500}])");
  EXPECT_EQ(batches[0].images_seen, 500);
}

TEST(MlflowBatches, HaveTheTimesOfTheirLines) {
  const auto batches =
      mlflow_batches({{{"images_seen", 1}, {"fid50k", 2.5}, {"unix_seconds", 1764171600.123}}}, 7);
  ASSERT_EQ(batches.size(), 1);
  EXPECT_EQ(batches[0].metrics.dump(),
            R"([{"key":"fid50k","value":2.5,"timestamp":1764171600123,"step":1}])");
}

TEST(MlflowBatches, HoldAThousandMetricsAndMarkCompleteLines) {
  const auto batches =
      mlflow_batches({line_with(1, 600), line_with(2, 600), line_with(3, 2500)}, 0);
  std::vector<std::size_t> sizes;
  std::vector<std::int64_t> ends;
  for (const auto& batch : batches) {
    sizes.push_back(batch.metrics.size());
    ends.push_back(batch.images_seen);
  }
  EXPECT_THAT(sizes, ElementsAre(1000, 1000, 1000, 700));
  EXPECT_THAT(ends, ElementsAre(1, 2, -1, 3));
}

}  // namespace
}  // namespace ganscale::report
