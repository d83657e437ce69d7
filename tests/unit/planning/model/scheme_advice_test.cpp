#include "planning/model/scheme_advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "planning/output/scheme_table.h"

namespace ganscale::planning {
namespace {

using testing::HasSubstr;

SchemeRun synchronous_with(double images_per_second) {
  return {.choice = {.scheme = "synchronous"}, .images_per_second = images_per_second};
}

SchemeRun asynchronous_with(double images_per_second, int max_staleness,
                            const wire::RoleRatio& ratio = {1, 3}) {
  return {.choice = {"asynchronous", ratio, max_staleness}, .images_per_second = images_per_second};
}

const SchemeRun kPerLabelRun = {.choice = {.scheme = "per_label"}, .images_per_second = 1000};

std::string advice_in(const SchemeComparison& comparison) {
  const std::string table = to_table(comparison);
  return table.substr(table.find("Advice"));
}

std::string advice_text(const std::vector<SchemeRun>& runs) {
  return advice_in({.gpus = 8, .runs = runs});
}

TEST(AdviseScheme, NamesTheAsynchronousOneIfItGainsMoreThanAHundredth) {
  const std::vector<SchemeRun> runs = {synchronous_with(100), asynchronous_with(90, 1, {1, 1}),
                                       asynchronous_with(112.5, 1), kPerLabelRun};
  EXPECT_NEAR(advise_scheme(runs)->asynchronous_gain(), 0.125, 1e-9);
  EXPECT_EQ(to_text(advise_scheme(runs)->advised().choice), "asynchronous 1:3, max_staleness 1");
  EXPECT_EQ(
      advice_text(runs),
      "Advice for 8 GPUs, by speed alone (quality is not simulated): "
      "use asynchronous 1:3 with max_staleness 1, which is 12.5% faster than synchronous; check it "
      "with ganscale train --dry-run.\n"
      "  scheme: {name: asynchronous, ratio: \"1:3\", max_staleness: 1}\n");
}

TEST(AdviseScheme, TakesTheLeastStalenessThatIsAlmostTheFastest) {
  const auto advice =
      advise_scheme(std::vector{synchronous_with(100), asynchronous_with(80, 0),
                                asynchronous_with(119.5, 1), asynchronous_with(120, 4)});
  EXPECT_EQ(advice->advised().choice.max_staleness, 1);
  const auto patient = advise_scheme(
      std::vector{synchronous_with(100), asynchronous_with(110, 1), asynchronous_with(120, 4)});
  EXPECT_EQ(patient->advised().choice.max_staleness, 4);
}

TEST(AdviseScheme, TakesTheFasterRatioOfTheSameStaleness) {
  const std::vector<SchemeRun> runs = {synchronous_with(100), asynchronous_with(119.5, 1, {1, 1}),
                                       asynchronous_with(120, 1, {1, 3}),
                                       asynchronous_with(119.6, 1, {3, 5})};
  EXPECT_EQ(to_text(advise_scheme(runs)->advised().choice), "asynchronous 1:3, max_staleness 1");
}

TEST(AdviseScheme, PrefersTheSynchronousOneIfTheOtherGainsLittle) {
  const std::vector<SchemeRun> little = {synchronous_with(100), asynchronous_with(100.5, 1)};
  EXPECT_FALSE(advise_scheme(little)->advised().choice.ratio);
  EXPECT_THAT(advice_text(little),
              HasSubstr("use synchronous; asynchronous 1:3 with max_staleness 1 "
                        "would be only 0.5% faster.\n"));
  const std::vector<SchemeRun> loss = {synchronous_with(100), asynchronous_with(80, 1)};
  EXPECT_THAT(advice_text(loss), HasSubstr("max_staleness 1 would be 20.0% slower.\n"
                                           "  scheme: {name: synchronous}\n"));
}

TEST(AdviseScheme, SaysThatNoRatioFits) {
  const std::vector<SchemeRun> runs = {synchronous_with(100), kPerLabelRun};
  EXPECT_EQ(advise_scheme(runs)->asynchronous_gain(), 0);
  EXPECT_THAT(advice_text(runs), HasSubstr("use synchronous; no ratio fits: its sum must divide"));
  EXPECT_FALSE(advise_scheme(std::vector{kPerLabelRun}));
}

TEST(AdviseScheme, SaysThatTheRolesOfOneGpuAreNotSimulated) {
  const std::string text = advice_in({.gpus = 1, .runs = {synchronous_with(100), kPerLabelRun}});
  EXPECT_THAT(text, testing::StartsWith("Advice for 1 GPU, by speed alone"));
  EXPECT_THAT(text, HasSubstr("use synchronous; both roles on one GPU are not simulated.\n"));
}

TEST(AdviseScheme, TurnsCudaGraphsOffForTheAsynchronousOne) {
  SchemeComparison comparison = {
      .gpus = 8, .cuda_graphs = true, .runs = {synchronous_with(100), asynchronous_with(112, 1)}};
  EXPECT_THAT(advice_in(comparison), HasSubstr("max_staleness: 1}\n"
                                               "  training: {cuda_graphs: false}\n"));
  EXPECT_EQ(to_json(comparison)["advice"]["cuda_graphs"], false);
  comparison.runs.pop_back();
  EXPECT_THAT(advice_in(comparison), testing::Not(HasSubstr("cuda_graphs")));
  EXPECT_FALSE(to_json(comparison)["advice"].contains("cuda_graphs"));
}

TEST(SchemeTable, HasALineForEachSchemeAndTheAdvice) {
  const SchemeComparison comparison = {
      .gpus = 8,
      .batch = 48,
      .steps = 512,
      .runs = {synchronous_with(100), asynchronous_with(112.5, 2), kPerLabelRun}};
  const std::string table = to_table(comparison);
  EXPECT_THAT(table, HasSubstr("8 GPUs, batch 48, 512 steps of each scheme\n"));
  EXPECT_THAT(table, HasSubstr("\nasynchronous 1:3, max_staleness 2 "));
  EXPECT_THAT(table, HasSubstr("\nAdvice for 8 GPUs"));
  const auto json = to_json(comparison);
  EXPECT_EQ(json["schemes"][1]["ratio"], "1:3");
  EXPECT_EQ(json["schemes"][1]["max_staleness"], 2);
  EXPECT_TRUE(json["schemes"][1].contains("exchange_seconds"));
  EXPECT_FALSE(json["schemes"][0].contains("ratio"));
  EXPECT_EQ(json["advice"]["scheme"], "asynchronous");
  EXPECT_NEAR(json["advice"]["asynchronous_gain"], 0.125, 1e-9);
}

}  // namespace
}  // namespace ganscale::planning
