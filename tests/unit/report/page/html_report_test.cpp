#include "report/page/html_report.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "checkpoint/write_checkpoint.h"
#include "report/media/grid_labels.h"
#include "report/page/curves.h"
#include "report/page/data_uri.h"
#include "support/expect_error.h"
#include "support/make_run.h"
#include "support/temporary_folder.h"

namespace ganscale::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(DataUri, IsBase64OfRfc4648) {  // its test vectors, section 10
  EXPECT_EQ(data_uri("a/b", ""), "data:a/b;base64,");
  EXPECT_EQ(data_uri("a/b", "f"), "data:a/b;base64,Zg==");
  EXPECT_EQ(data_uri("a/b", "foobar"), "data:a/b;base64,Zm9vYmFy");
}

TEST(RunSummary, FindsAKeyOfTheConfigurationByItsPath) {
  const auto config = config::parse_yaml("a: {b: {c: 3, d: [1, x]}}", "run.yaml");
  EXPECT_EQ(config_value(config, "a.b.c"), "3");
  EXPECT_EQ(config_value(config, "a.b.d"), "[1, x]");
  EXPECT_EQ(config_value(config, "a.x.c"), std::nullopt);
  EXPECT_EQ(config_value(config, "a.b.c.d"), std::nullopt);
}

TEST(RunSummary, RefusesAFolderThatIsNotARun) {
  const TemporaryFolder folder;
  expect_error(ExitCode::kData, "not the folder of a run, it has no config.yaml",
               [&] { read_run(folder.path()); });
}

TEST(HtmlReport, SaysWhatEachLabelReached) {
  const TemporaryFolder folder;
  make_run(folder.path(), 0);
  folder.write("labels.json",
               R"([{"label": 0, "name": "cat", "state": "done", "images_seen": 8000,
                    "total_images": 8000, "seconds": 60, "error": ""},
                   {"label": 1, "name": "dog", "state": "failed", "images_seen": 0,
                    "total_images": 9000, "seconds": 0, "error": "record <7>"}])");
  const auto page = html_report(read_run(folder.path()));
  EXPECT_THAT(page, HasSubstr("<th>0 cat</th><td>done, "));
  EXPECT_THAT(page, HasSubstr("<th>1 dog</th><td>failed, "));
  EXPECT_THAT(page, HasSubstr(": record &lt;7&gt;</td>"));
  EXPECT_THAT(page, HasSubstr("<b>1</b><span>of 2 labels have a generator</span>"));
  EXPECT_THAT(page, HasSubstr("<b>8 kimg</b><span>of 17 kimg</span>"));
}

TEST(HtmlReport, NamesTheRowsOfGridsWithALabelEach) {
  const TemporaryFolder folder;
  make_run(folder.path(), 1);
  EXPECT_THAT(html_report(read_run(folder.path())), Not(HasSubstr("class=\"rows\"")));
  const std::vector<std::string> names{"cat", "a<b"};
  checkpoint::Snapshot snapshot;
  snapshot.images_seen = 1000;
  snapshot.state = {{"label_names", names}};
  checkpoint::write_checkpoint(folder.path(), snapshot);
  folder.write("config.yaml", "training: {grid_rows: 3, grid_columns: 2}\n");
  const RunSummary run = read_run(folder.path());
  EXPECT_THAT(run.label_names, ElementsAre("cat", "a<b"));
  EXPECT_THAT(run.row_labels, ElementsAre("cat", "a<b", "cat"));
  EXPECT_EQ(count(html_report(run), "<span title=\"a&lt;b\">a&lt;b</span>"), 2) << "fakes, reals";
  folder.write("config.yaml", "training: {grid_rows: 1, grid_columns: 2}\n");
  EXPECT_THAT(read_run(folder.path()).row_labels, IsEmpty()) << "a row has both labels";
}

TEST(GridLabels, BelongToRowsOrToPlaces) {
  EXPECT_THAT(grid_labels(6, 2, 2), ElementsAre(0, 0, 1, 1, 0, 0));
  EXPECT_THAT(grid_labels(6, 2, 4), ElementsAre(0, 1, 2, 3, 0, 1));
}

TEST(HtmlReport, SaysWithWhichErrorTheRunEnded) {
  const TemporaryFolder folder;
  make_run(folder.path(), 0);
  const std::string started = R"({"level": "info", "rank": 0, "message": "Training"})"
                              "\n";
  const std::string failed = R"({"level": "error", "rank": 0, "message": "record <7> is damaged"})"
                             "\n";
  const std::string warned = R"({"level": "warning", "rank": 0, "message": "slow"})"
                             "\n";
  folder.write("log.jsonl", started + failed + warned);
  EXPECT_THAT(html_report(read_run(folder.path())),
              HasSubstr("Ended with an error: record &lt;7&gt; is damaged"));
  folder.write("log.jsonl", started + failed + started);
  EXPECT_THAT(html_report(read_run(folder.path())), Not(HasSubstr("Ended with an error")));
}

TEST(HtmlReport, FoldsManyLabels) {
  const TemporaryFolder folder;
  make_run(folder.path(), 0);
  std::string labels;
  for (int label = 0; label < 200; ++label) {
    labels += (label == 0 ? "[" : ", ") + std::string("{\"label\": ") + std::to_string(label) +
              ", \"state\": \"" + (label == 150 ? "failed" : "done") + "\", \"attempts\": 2}";
  }
  folder.write("labels.json", labels + "]");
  const auto page = html_report(read_run(folder.path()));
  EXPECT_THAT(page, HasSubstr("2 attempts</td>"));
  EXPECT_THAT(page, HasSubstr("<details class=\"card\"><summary>199 labels have a generator"));
  EXPECT_LT(page.find("<th>150 "), page.find("<th>0 "));
}

TEST(Curves, HaveAChartForEachThingWithNumbers) {
  const TemporaryFolder folder;
  make_run(folder.path(), 3);
  const auto charts = tick_charts(read_run(folder.path()));
  std::vector<std::string> titles;
  for (const auto& chart : charts) titles.push_back(chart.title);
  EXPECT_THAT(titles, ElementsAre("Loss", "Rate", "Waiting", "Reader threads", "Slow reads",
                                  "Learning rate", "Memory"));
  EXPECT_THAT(charts[0].x, ElementsAre(1, 2, 3));
  EXPECT_EQ(charts[0].series[1].name, "generator");
  EXPECT_THAT(charts[0].series[1].values, ElementsAre(0.6, 0.7, testing::DoubleEq(0.8)));
}

TEST(Curves, ShowTheValuesOfSchedules) {
  Tick tick;
  tick.images_seen = 1000;
  tick.scheduled = {{"ema_kimg", 250}, {"r1_gamma", 2.5}};
  RunSummary run;
  run.ticks.push_back(to_json(tick));
  const auto charts = tick_charts(run);
  const auto chart = std::ranges::find(charts, "Scheduled", &Chart::title);
  ASSERT_NE(chart, charts.end());
  ASSERT_EQ(chart->series.size(), 2U);
  EXPECT_EQ(chart->series[1].name, "r1_gamma");
  EXPECT_THAT(chart->series[1].values, ElementsAre(2.5));
}

TEST(Curves, HaveAChartForEachMetric) {
  RunSummary run;
  run.metrics = {{{"images_seen", 1000}, {"fid50k", 80.5}}, {{"images_seen", 2000}, {"is50k", 2}}};
  const auto charts = metric_charts(run);
  ASSERT_EQ(charts.size(), 2U);
  EXPECT_EQ(charts[0].title, "fid50k");
  EXPECT_EQ(charts[1].title, "is50k");
}

// `ganscale evaluate` adds what training did not measure. NaN was measured, and leaves a gap.
TEST(Curves, OfAMetricLeaveOutEvaluationsThatDidNotMeasureIt) {
  RunSummary run;
  run.metrics = {{{"images_seen", 1000}, {"training_seconds", 10}, {"fid50k", 80.5}},
                 {{"images_seen", 1000}, {"training_seconds", 10}, {"kid50k", 0.5}},
                 {{"images_seen", 2000}, {"training_seconds", 20}, {"fid50k", nullptr}},
                 {{"images_seen", 3000}, {"training_seconds", 30}, {"fid50k", 60}},
                 {{"images_seen", 3000}, {"training_seconds", 30}, {"kid50k", 0.25}}};
  const auto charts = metric_charts(run);
  ASSERT_EQ(charts.size(), 2U);
  EXPECT_THAT(charts[0].x, ElementsAre(1, 2, 3));
  EXPECT_THAT(charts[0].series[0].values, ElementsAre(80.5, testing::IsNan(), 60));
  EXPECT_THAT(charts[1].x, ElementsAre(1, 3));
  EXPECT_THAT(charts[1].series[0].values, ElementsAre(0.5, 0.25));
  const auto over_time = metric_time_charts(run);
  ASSERT_EQ(over_time.size(), 2U);
  EXPECT_THAT(over_time[1].x, ElementsAre(10, 30));
}

TEST(Curves, HaveNoChartOfTheTimeOfDay) {
  RunSummary run;
  run.metrics.push_back(
      with_time({{"images_seen", 1000}, {"training_seconds", 9}, {"fid50k", 80.5}}));
  for (const auto& charts : {metric_charts(run), metric_time_charts(run)}) {
    ASSERT_EQ(charts.size(), 1U);
    EXPECT_EQ(charts[0].title, "fid50k");
  }
}

TEST(Curves, ShowAllAveragesOfAMetricInOneChart) {
  RunSummary run;
  run.metrics = {{{"images_seen", 1000}, {"fid50k", 80.5}, {"fid50k_ema_2", 70}}};
  const auto charts = metric_charts(run);
  ASSERT_EQ(charts.size(), 1U);
  EXPECT_EQ(charts[0].title, "fid50k");
  ASSERT_EQ(charts[0].series.size(), 2U);
  EXPECT_EQ(charts[0].series[0].name, "fid50k");
  EXPECT_EQ(charts[0].series[1].name, "ema_2");
  EXPECT_THAT(charts[0].series[1].values, ElementsAre(70));
}

// Ticks of 1000 images and a minute: 1500 images were seen after 90 s.
TEST(Curves, ShowMetricsAgainstTimeToo) {
  const TemporaryFolder folder;
  make_run(folder.path(), 3);
  folder.write(
      "metrics.jsonl",
      "{\"images_seen\": 1000, \"fid50k\": 80.5}\n{\"images_seen\": 1500, \"fid50k\": 70}\n"
      "{\"images_seen\": 3000, \"fid50k\": 60}\n{\"images_seen\": 9000, \"fid50k\": 50}\n");
  const auto run = read_run(folder.path());
  const auto charts = metric_time_charts(run);
  ASSERT_EQ(charts.size(), 1U);
  EXPECT_EQ(charts[0].x_unit, "min");
  EXPECT_THAT(charts[0].x, ElementsAre(1, 1.5, 3));  // no tick says when 9000 were seen
  EXPECT_THAT(charts[0].series[0].values, ElementsAre(80.5, 70, 60));
  EXPECT_THAT(html_report(run), HasSubstr("\"unit\":\"min\""));
}

TEST(Curves, TakeTheTimeOfAMetricFromItsLine) {
  RunSummary run;
  run.metrics = {{{"images_seen", 1000}, {"training_seconds", 180}, {"fid50k", 80.5}}};
  const auto charts = metric_time_charts(run);
  ASSERT_EQ(charts.size(), 1U) << "seconds are not a metric";
  EXPECT_THAT(charts[0].x, ElementsAre(3));
  EXPECT_EQ(charts[0].x_unit, "min");
}

TEST(Curves, ShowNoMetricAgainstTimeWithoutTicks) {
  RunSummary run;
  run.metrics = {{{"images_seen", 1000}, {"fid50k", 80.5}}};
  EXPECT_TRUE(metric_time_charts(run).empty());
}

TEST(Curves, ShowWaitingAndStalenessOfEachRole) {
  Tick tick;
  tick.images_seen = 1000;
  tick.roles["generator"] = {.ranks = 1,
                             .steps = 4,
                             .images = 0,
                             .seconds_per_step = 0.25,
                             .wait_share = 0.125,
                             .steps_of_age = {{0, 1}, {2, 3}}};
  tick.roles["discriminator"] = {.ranks = 3, .steps = 0, .images = 0, .steps_of_age = {}};
  RunSummary run;
  run.ticks.push_back(to_json(tick));
  std::map<std::string, Chart> charts;
  for (const auto& chart : tick_charts(run)) charts[chart.title] = chart;
  EXPECT_EQ(charts["Waiting for the other role"].series[0].values[0], 12.5);
  EXPECT_EQ(charts["Time of a step"].series[0].values[0], 250);
  const auto& staleness = charts["Staleness"].series;  // of a role without steps: none
  ASSERT_EQ(staleness.size(), 2U);
  EXPECT_EQ(staleness[0].name, "generator");
  EXPECT_EQ(staleness[0].values[0], 1.5);  // (0 + 3 * 2) / 4
  EXPECT_EQ(staleness[1].name, "generator, oldest");
  EXPECT_EQ(staleness[1].values[0], 2);
}

TEST(HtmlReport, ShowsTheNewestValueOfAMetricThatTheLastEvaluationLeftOut) {
  const TemporaryFolder folder;
  make_run(folder.path(), 3);
  folder.write("metrics.jsonl",
               "{\"images_seen\": 1000, \"fid50k\": 80.5}\n"
               "{\"images_seen\": 2000, \"is50k\": 2}\n");
  const auto page = html_report(read_run(folder.path()));
  EXPECT_THAT(page, HasSubstr("<b>80.5</b><span>fid50k</span>"));
  EXPECT_THAT(page, HasSubstr("<b>2.00</b><span>is50k</span>"));
}

TEST(HtmlReport, SaysOfWhichAverageAMetricIsThatOnlyAnotherAverageHas) {
  const TemporaryFolder folder;
  make_run(folder.path(), 1);
  folder.write("metrics.jsonl", "{\"images_seen\": 1000, \"fid50k_ema_2\": 70}\n");
  EXPECT_THAT(html_report(read_run(folder.path())),
              HasSubstr("<b>70.0</b><span>fid50k_ema_2</span>"));
}

TEST(HtmlReport, DescribesTheBuildOfTheRun) {
  const TemporaryFolder folder;
  make_run(folder.path(), 1);
  EXPECT_THAT(html_report(read_run(folder.path())), Not(HasSubstr("Provenance")));
  folder.write("provenance.jsonl",
               "{\"commit\": \"old\"}\n"
               "{\"commit\": \"new\", \"command_line\": \"ganscale train --run 'a<b'\", "
               "\"hosts\": [\"n1\", \"n2\"], \"devices\": {\"H100\": 8}, \"ranks\": 8}\n");
  const auto page = html_report(read_run(folder.path()));
  for (const char* expected :
       {"<th>commit</th><td>new</td>", "<th>hosts</th><td>n1, n2</td>",
        "<th>devices</th><td>8 x H100</td>", "<th>ranks</th><td>8</td>",
        "<th>starts so far</th><td>2</td>", "<th>command line</th><td>ganscale train --run "})
    EXPECT_THAT(page, HasSubstr(expected));
  EXPECT_THAT(page, Not(HasSubstr("a<b")));
}

TEST(HtmlReport, IsSelfContained) {
  const TemporaryFolder folder;
  make_run(folder.path(), 3);
  const auto page = html_report(read_run(folder.path()));
  EXPECT_THAT(page, Not(HasSubstr("http")));
  EXPECT_THAT(page, Not(HasSubstr("<link")));
  EXPECT_EQ(count(page, "src=\""), count(page, "src=\"data:image/png;base64,"));
}

TEST(HtmlReport, ShowsRealsFirstAndLastGridAndEscapesTheConfiguration) {
  const TemporaryFolder folder;
  make_run(folder.path(), 3);
  const auto page = html_report(read_run(folder.path()));
  EXPECT_THAT(page, HasSubstr("<figure data-at=\"1 kimg\">"));
  EXPECT_THAT(page, HasSubstr("<figure data-at=\"3 kimg\">"));
  EXPECT_THAT(page, HasSubstr("<figcaption>Real</figcaption>"));
  EXPECT_THAT(page, HasSubstr("&lt;i&gt;&amp; more&lt;/i&gt;"));
}

TEST(HtmlReport, HasNoPlayerForASingleGrid) {
  const TemporaryFolder folder;
  make_run(folder.path(), 1);
  const auto page = html_report(read_run(folder.path()));
  EXPECT_THAT(page, HasSubstr("<output>after 1 kimg</output>"));
  EXPECT_THAT(page, Not(HasSubstr("class=\"player\"")));
}

TEST(HtmlReport, CarriesSixteenGridsOfManyWithFirstAndLast) {
  const TemporaryFolder folder;
  make_run(folder.path(), 40);
  const auto page = html_report(read_run(folder.path()));
  EXPECT_EQ(count(page, "<figure data-at="), 16);
  EXPECT_THAT(page, HasSubstr("<figure data-at=\"1 kimg\">"));
  EXPECT_THAT(page, HasSubstr("<figure data-at=\"40 kimg\">"));
}

TEST(HtmlReport, SaysThatARunHasNotBegun) {
  const TemporaryFolder folder;
  files::write_file_atomically(folder / "config.yaml", "model: {name: dcgan}\n");
  EXPECT_THAT(html_report(read_run(folder.path())), HasSubstr("No tick has been written yet."));
}

}  // namespace
}  // namespace ganscale::report
