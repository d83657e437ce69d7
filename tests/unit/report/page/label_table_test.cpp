#include "report/page/label_table.h"

#include <gmock/gmock.h>

namespace ganscale::report {
namespace {

using testing::HasSubstr;
using testing::Not;

RunSummary run_of(const std::vector<const char*>& metrics) {
  RunSummary run;
  for (const char* line : metrics) run.metrics.push_back(nlohmann::ordered_json::parse(line));
  return run;
}

TEST(LabelTable, HasARowOfEachLabelAndTheirMeanAndMinimumOfTheNewestEvaluation) {
  auto run = run_of({R"({"labels": "data", "fid50k_labels": [9, 9, 9]})",
                     R"({"labels": "data", "fid50k_labels": [1.5, null, 0.5],
                         "pr50k3_recall_labels": [0.25, 0.75, null]})"});
  run.labels.push_back(nlohmann::ordered_json::parse(R"({"label": 2, "name": "d<g"})"));
  const auto html = label_table(run);
  EXPECT_THAT(html, HasSubstr("<tr><th>label</th><th>fid50k</th><th>pr50k3_recall</th></tr>"));
  EXPECT_THAT(html, HasSubstr("<tr><th>mean</th><td>1.00</td><td>0.500</td></tr>"));
  EXPECT_THAT(html, HasSubstr("<tr><th>minimum</th><td>0.500</td><td>0.250</td></tr>"));
  EXPECT_THAT(html, HasSubstr("<tr><th>0</th><td>1.50</td><td>0.250</td></tr>"));
  EXPECT_THAT(html, HasSubstr("<tr><th>1</th><td></td><td>0.750</td></tr>"));
  EXPECT_THAT(html, HasSubstr("<tr><th>2 d&lt;g</th><td>0.500</td><td></td></tr>"));
  EXPECT_THAT(html, HasSubstr("Labels were generated as often as they are in the data."));
  EXPECT_THAT(html, HasSubstr("<details class=\"card\" open>"));
}

TEST(LabelTable, NamesTheLabelsOfAConditionalModel) {
  auto run = run_of({R"({"fid50k_labels": [1, 2, 3]})"});
  run.label_names = {"cat", "d<g"};
  const auto html = label_table(run);
  EXPECT_THAT(html, HasSubstr("<th>0 cat</th>"));
  EXPECT_THAT(html, HasSubstr("<th>1 d&lt;g</th>"));
  EXPECT_THAT(html, HasSubstr("<th>2</th>"));
}

TEST(LabelTable, SaysThatLabelsWereGeneratedEquallyOften) {
  EXPECT_THAT(label_table(run_of({R"({"labels": "balanced", "fid50k_labels": [1]})"})),
              HasSubstr("Each label was generated equally often."));
}

TEST(LabelTable, IsCollapsedForManyLabelsAndAbsentWithoutAny) {
  nlohmann::ordered_json line;
  line["fid50k_labels"] = std::vector<double>(31, 1.0);
  RunSummary run;
  EXPECT_EQ(label_table(run), "");
  run.metrics.push_back(line);
  EXPECT_THAT(label_table(run), Not(HasSubstr(" open>")));
}

}  // namespace
}  // namespace ganscale::report
