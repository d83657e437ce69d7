#include "gan_training/reconcile/training_metrics.h"

#include <gtest/gtest.h>

namespace ganscale::controller::gan_training {
namespace {

Informer::Object training(const Json& status) {
  return std::make_shared<const Json>(
      Json{{"metadata", {{"creationTimestamp", "2025-06-15T15:06:40Z"}}}, {"status", status}});
}

const Time kMinuteLater{std::chrono::seconds(1750000000 + 60)};

TEST(TrainingMetrics, CountByPhaseAndShowTheLongestWait) {
  Families families;
  collect_trainings(
      {training({{"phase", "Running"}}), training({{"phase", "Running"}}),
       training({{"phase", "Scheduling"}}), training(Json::object()), training({{"phase", 3}})},
      kMinuteLater, families);
  const auto& trainings = families.all().at(0);
  EXPECT_EQ(trainings.name, "ganscale_trainings");
  std::map<std::string, double> counts;
  for (const auto& sample : trainings.samples) counts[sample.labels.at(0).second] = sample.value;
  EXPECT_EQ(counts,
            (std::map<std::string, double>{{"Running", 2}, {"Scheduling", 1}, {"Pending", 2}}));
  EXPECT_EQ(families.all().at(2).samples.at(0).value, 60);
}

TEST(TrainingMetrics, NameEachTrainingWithItsPhase) {
  Families families;
  const auto faces = std::make_shared<const Json>(Json{
      {"metadata", {{"namespace", "lab"}, {"name", "faces"}}}, {"status", {{"phase", "Failed"}}}});
  collect_trainings({faces}, kMinuteLater, families);
  const auto& info = families.all().at(1);
  EXPECT_EQ(info.name, "ganscale_training_info");
  ASSERT_EQ(info.samples.size(), 1U);
  EXPECT_EQ(info.samples[0].labels,
            (MetricLabels{{"namespace", "lab"}, {"name", "faces"}, {"phase", "Failed"}}));
  EXPECT_EQ(info.samples[0].value, 1);
}

TEST(TrainingMetrics, ExistWithoutTrainings) {
  Families families;
  collect_trainings({}, kMinuteLater, families);
  EXPECT_EQ(families.all().at(0).samples.size(), 0U);
  EXPECT_EQ(families.all().at(2).samples.at(0).value, 0);
}

}  // namespace
}  // namespace ganscale::controller::gan_training
