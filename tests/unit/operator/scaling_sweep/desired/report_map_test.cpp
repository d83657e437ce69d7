#include "scaling_sweep/desired/report_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "scaling_sweep/desired/training.h"
#include "unit/operator/scaling_sweep/make_plan.h"

namespace ganscale::controller::scaling_sweep {
namespace {

using testing::HasSubstr;
using testing::Not;

/// 100, 190 and 360 images per second on one, two and four ranks, and 2 more in the second repeat.
Record all_measured(const Plan& plan) {
  Record record;
  for (const SweepRun& run : plan.runs) {
    const double rate = std::vector{100.0, 190.0, 360.0}[run.point] + (run.repeat == 2 ? 2 : 0);
    record.results.push_back(make_result(plan, run, rate));
  }
  return record;
}

std::string file(const Plan& plan, const Record& record, const char* name) {
  return report_map(plan, record)["data"][name];
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> list;
  std::size_t begin = 0;
  for (std::size_t end = text.find("\r\n"); end != std::string::npos;
       end = text.find("\r\n", begin)) {
    list.push_back(text.substr(begin, end - begin));
    begin = end + 2;
  }
  return list;
}

std::ptrdiff_t fields(const std::string& line) { return std::ranges::count(line, ',') + 1; }

/// Returns the field of a line that is under a name; no field of the table has a comma.
std::string field(const std::vector<std::string>& table, std::size_t line,
                  const std::string& name) {
  std::istringstream names(table[0]);
  std::istringstream values(table[line]);
  std::string one;
  std::string value;
  while (std::getline(names, one, ',') && std::getline(values, value, ',')) {
    if (one == name) return value;
  }
  return "no column " + name;
}

TEST(ReportMap, BelongsToItsSweep) {
  const Plan plan = make_plan();
  const Json map = report_map(plan, all_measured(plan));
  EXPECT_EQ(map["metadata"]["name"], "weak-report");
  EXPECT_EQ(map["metadata"]["ownerReferences"][0]["uid"], "u");
  EXPECT_EQ(map["data"].size(), 6U);
}

TEST(ReportMap, HasALineOfCsvForEachPointAndRun) {
  const Plan plan = make_plan();
  const Record record = all_measured(plan);
  const auto points = lines(file(plan, record, "points.csv"));
  ASSERT_EQ(points.size(), 4U);
  for (const auto& line : points) EXPECT_EQ(fields(line), fields(points[0])) << line;
  EXPECT_THAT(points[2], testing::StartsWith("2,0,2,0,16,2,0,191.000,5.2356,"));
  const auto runs = lines(file(plan, record, "runs.csv"));
  ASSERT_EQ(runs.size(), 7U);
  for (const auto& line : runs) EXPECT_EQ(fields(line), fields(runs[0])) << line;
}

TEST(ReportMap, HasInCsvEachFigureUnderItsName) {
  const Plan plan = make_plan();
  const Record record = all_measured(plan);
  const auto points = lines(file(plan, record, "points.csv"));
  EXPECT_EQ(field(points, 2, "ranks"), "2");
  EXPECT_EQ(field(points, 2, "images_per_second"), "191.000");
  EXPECT_EQ(field(points, 2, "speedup"), "1.8911") << "191 / 101";
  EXPECT_EQ(field(points, 2, "efficiency"), "0.9455");
  EXPECT_EQ(field(points, 1, "speedup_low"), "") << "of the baseline, which is 1";
  const auto runs = lines(file(plan, record, "runs.csv"));
  const Result& first = record.results[0];
  EXPECT_EQ(field(runs, 1, "run"), first.run);
  EXPECT_EQ(std::stod(field(runs, 1, "images_per_second")), first.measured->images_per_second);
  EXPECT_EQ(std::stod(field(runs, 1, "straggler_ratio")), first.measured->straggler_ratio);
}

TEST(ReportMap, FitsIntoAnObjectForTheLargestSweepOnManyNodes) {
  Json points = Json::array();
  for (int nodes = 1; nodes <= 32; ++nodes) points.push_back({{"nodes", nodes}});
  const Plan plan = make_plan({{"points", points}, {"repeats", 20}});
  ASSERT_EQ(plan.runs.size(), 640U);
  std::vector<std::string> nodes;
  for (int i = 100; i < 164; ++i) {
    nodes.push_back("ip-10-0-0-" + std::to_string(i) + ".eu-central-1.compute.internal");
  }
  Record record;
  for (const SweepRun& run : plan.runs) {
    record.results.push_back(make_result(plan, run, 1000.0 / 7));
    record.results.back().nodes = nodes;
    record.results.back().image_id = std::string(120, 'x');
  }
  constexpr std::size_t kMostBytes = std::size_t{1} << 20;  // of a ConfigMap; etcd takes half more
  Json status;
  write_record(record, status);
  EXPECT_LT(status.dump().size(), kMostBytes / 2);
  EXPECT_LT(report_map(plan, record).dump().size(), kMostBytes);
  EXPECT_THAT(file(plan, record, "runs.csv"), HasSubstr(" and 56 more,"));
}

TEST(ReportMap, LeavesEmptyInCsvWhatWasNotMeasured) {
  const Plan plan = make_plan();
  const auto points = lines(file(plan, {}, "points.csv"));
  for (const auto& line : points) EXPECT_EQ(fields(line), fields(points[0])) << line;
  EXPECT_THAT(points[1], testing::StartsWith("1,0,1,0,8,0,0,,"));
}

/// What mode PerLabel measures: the time of whole trainings on the slowest rank.
Record whole_trainings(const Plan& plan) {
  Record record = all_measured(plan);
  for (Result& result : record.results) {
    Measured& whole = *result.measured;
    whole.steps = 0;
    whole.seconds = 40;
    whole.all_reduce_seconds = 0;
    whole.data_wait_seconds = 0;
    whole.straggler_ratio = 1.25;
  }
  return record;
}

TEST(ReportMap, LeavesEmptyInCsvTheStepsThatWholeTrainingsDoNotHave) {
  const Plan plan = make_plan();
  const Record record = whole_trainings(plan);
  const auto points = lines(file(plan, record, "points.csv"));
  for (const char* name :
       {"communication", "compute_ms", "exposed_all_reduce_ms", "data_wait_ms", "role_wait_ms",
        "step_median_ms", "step_p99_ms", "gpu_use", "memory_share"}) {
    EXPECT_EQ(field(points, 2, name), "") << name;
  }
  EXPECT_EQ(field(points, 2, "completion_seconds"), "40.000");
  EXPECT_EQ(field(points, 2, "straggler_ratio"), "1.2500");
  const auto runs = lines(file(plan, record, "runs.csv"));
  for (const char* name :
       {"steps", "exposed_all_reduce_seconds", "data_wait_seconds", "role_wait_seconds"}) {
    EXPECT_EQ(field(runs, 1, name), "") << name;
  }
  EXPECT_EQ(field(runs, 1, "seconds"), "40.0000");
}

TEST(ReportMap, HasNoGlobalBatchWhereRanksShareNoSteps) {
  Plan plan = make_plan();
  for (PlannedPoint& point : plan.points) point.global_batch = 0;
  const Record record = whole_trainings(plan);
  EXPECT_EQ(field(lines(file(plan, record, "points.csv")), 2, "global_batch"), "");
  EXPECT_THAT(file(plan, record, "report.html"), HasSubstr("<td>n2</td><td>2</td><td>–</td>"));
}

TEST(ReportMap, DrawsWholeTrainingsAsOnePart) {
  Plan plan = make_plan();
  plan.spec.mode = Mode::kPerLabel;
  const std::string svg = file(plan, whole_trainings(plan), "steps.svg");
  EXPECT_THAT(svg, HasSubstr("<title>Time of a training</title>"));
  EXPECT_THAT(svg, HasSubstr("<title>training: 40.0 s</title>"));
  EXPECT_THAT(svg, Not(HasSubstr("data wait")));
}

TEST(ReportMap, DrawsTheWaitForTheOtherRoleIfThereIsOne) {
  const Plan plan = make_plan();
  Record record = all_measured(plan);
  EXPECT_THAT(file(plan, record, "steps.svg"), Not(HasSubstr("wait for the other role")));
  for (Result& result : record.results) result.measured->role_wait_seconds = 0.4;
  EXPECT_THAT(file(plan, record, "steps.svg"),
              HasSubstr("<title>wait for the other role: 20.0 ms</title>"));
  EXPECT_EQ(field(lines(file(plan, record, "points.csv")), 1, "role_wait_ms"), "20.0000");
  EXPECT_EQ(field(lines(file(plan, record, "runs.csv")), 1, "role_wait_seconds"), "0.4000");
}

TEST(ReportMap, QuotesInCsvWhatHoldsCommasAndQuotes) {
  const Plan plan = make_plan();
  Record record = all_measured(plan);
  record.results[0].measured.reset();
  record.results[0].message = "exit code 65: \"a\", truncated";
  EXPECT_THAT(file(plan, record, "runs.csv"),
              HasSubstr("\"exit code 65: \"\"a\"\", truncated\"\r\n"));
}

TEST(ReportMap, HoldsTheStatusAsJson) {
  const Plan plan = make_plan();
  const Json report = Json::parse(file(plan, all_measured(plan), "report.json"));
  EXPECT_EQ(report["kind"], "ScalingSweep");
  EXPECT_EQ(report["spec"], make_sweep().spec);
  const Json status = report["status"];
  EXPECT_EQ(status["baseline"], "n1");
  EXPECT_EQ(status["points"][2]["imagesPerSecond"], 361.0);
  EXPECT_EQ(status["runs"].size(), 6U);
  EXPECT_TRUE(status["fit"].contains("amdahl"));
}

TEST(ReportMap, DrawsThePointsTheIdealAndTheIntervals) {
  const Plan plan = make_plan();
  const std::string svg = file(plan, all_measured(plan), "speedup.svg");
  EXPECT_THAT(svg, testing::StartsWith("<svg xmlns="));
  EXPECT_THAT(svg, HasSubstr("<title>n4: 3.57 on 4 ranks</title>"));
  EXPECT_THAT(svg, HasSubstr("class=\"ideal s5\"")) << "the ideal";
  EXPECT_THAT(svg, HasSubstr("Amdahl&#39;s law, R²"));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(file(plan, all_measured(plan), "steps.svg"), HasSubstr("exposed all-reduce: 8."));
}

/// How often a text holds another.
std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

// A line up and down and two ends for each of two points; the baseline has no interval.
TEST(ReportMap, DrawsNoEndOfAnIntervalThatReachesOutOfTheChart) {
  const Plan plan = make_plan();
  const char* bold = "class=\"line s1\"";
  EXPECT_EQ(count(file(plan, all_measured(plan), "speedup.svg"), bold), 6U);
  Record varied;
  for (const SweepRun& run : plan.runs) {
    varied.results.push_back(make_result(plan, run, run.repeat == 2 ? 1000 : 100));
  }
  EXPECT_EQ(count(file(plan, varied, "speedup.svg"), bold), 2U);
}

TEST(ReportMap, SaysOneRankAndTwoRanks) {
  const Plan plan = make_plan();
  const std::string svg = file(plan, all_measured(plan), "steps.svg");
  EXPECT_THAT(svg, HasSubstr(">1 rank<"));
  EXPECT_THAT(svg, HasSubstr(">2 ranks<"));
}

TEST(ReportMap, DrawsASweepOfOnePoint) {
  const Plan plan = make_plan({{"points", Json::array({{{"nodes", 1}}})}});
  Record record;
  record.results.push_back(make_result(plan, plan.runs[0], 100));
  const std::string svg = file(plan, record, "speedup.svg");
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
}

TEST(ReportMap, IsASelfContainedPage) {
  const Plan plan = make_plan();
  Record record = all_measured(plan);
  record.results[0].measured.reset();
  record.results[0].message = "<script>alert(1)</script>";
  const std::string html = file(plan, record, "report.html");
  EXPECT_THAT(html, HasSubstr("&lt;script&gt;alert(1)"));
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_THAT(html, Not(HasSubstr("src=")));
  EXPECT_THAT(html, HasSubstr("Scaling sweep team/weak"));
  EXPECT_THAT(html, HasSubstr("failed runs: 1"));
}

TEST(SweepTraining, IsLabeledWithTheHashOfItsSpec) {
  const Plan plan = make_plan();
  const Json object = training(plan, plan.runs[0]);
  EXPECT_EQ(object["kind"], "GanTraining");
  EXPECT_EQ(object["metadata"]["annotations"][kRunHashAnnotation],
            plan.points[plan.runs[0].point].hash);
  EXPECT_EQ(object["metadata"]["ownerReferences"][0]["kind"], "ScalingSweep");
}

}  // namespace
}  // namespace ganscale::controller::scaling_sweep
