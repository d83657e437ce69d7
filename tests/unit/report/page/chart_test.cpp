#include "report/page/chart.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

namespace ganscale::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Chart, ThinsOutByMeansOfNeighbors) {
  const Chart chart{"t", "", {1, 2, 3, 4, 5}, {{"s", {10, 20, 30, 40, 50}}}, false};
  const Chart thin = thin_out(chart, 3);
  EXPECT_THAT(thin.x, ElementsAre(1.5, 3.5, 5));
  EXPECT_THAT(thin.series[0].values, ElementsAre(15, 35, 50));
}

TEST(Chart, ThinsOutValuesThatOnlySomeTicksHave) {
  const double nan = std::nan("");
  const Chart chart{"Loss", "", {1, 2, 3, 4, 5, 6}, {{"r1", {nan, 2, nan, nan, 8, 10}}}, false};
  const Chart thin = thin_out(chart, 3);
  EXPECT_THAT(thin.x, ElementsAre(1.5, 3.5, 5.5));
  EXPECT_THAT(thin.series[0].values, ElementsAre(2, testing::IsNan(), 9));
}

TEST(Chart, LeavesAGapWhereALossWasNotANumber) {
  const double nan = std::nan("");
  const Chart chart{"Loss", "", {0, 1, 2, 3}, {{"generator", {0, 1, nan, 2}}}, false};
  const auto html = chart_html(chart);
  // y: 0 ... 2 over a height of 300, x: 0 ... 3 over a width of 1000.
  EXPECT_THAT(html, HasSubstr("d=\"M0 300L333.333 150M1000 0\""));
  EXPECT_THAT(html, HasSubstr("class=\"s1 dot\" d=\"M1000 0h0\""));  // that no line goes to
  EXPECT_THAT(html, HasSubstr("\"y\":[[0.0,1.0,null,2.0]]"));
}

TEST(Chart, HasADashInItsLegendWhereTheLastValueIsMissing) {
  for (const double missing : {std::nan(""), HUGE_VAL}) {
    const auto html =
        chart_html({"Loss", "", {0, 1}, {{"g", {2, 3}}, {"r1", {1, missing}}}, false});
    EXPECT_THAT(html, HasSubstr("g <b>3.00</b>"));
    EXPECT_THAT(html, HasSubstr("r1 <b>–</b>"));
  }
}

TEST(Chart, ShowsASingleValueAsADot) {
  const auto html = chart_html({"FID", "", {3}, {{"fid", {20}}}, false});
  EXPECT_THAT(html, HasSubstr("class=\"s1 dot\" d=\"M500 150h0\""));
  const auto curve = chart_html({"FID", "", {3, 4}, {{"fid", {20, 10}}}, false});
  EXPECT_THAT(curve, testing::Not(HasSubstr("dot")));
}

TEST(Chart, OneSpikeDoesNotFlattenTheCurve) {
  Chart chart{"Rate", "", {}, {{"s/kimg", {}}}, true};
  for (int i = 0; i < 200; ++i) {
    chart.x.push_back(i);
    chart.series[0].values.push_back(i == 0 ? 1000 : 8);
  }
  const auto html = chart_html(chart);
  EXPECT_THAT(html, HasSubstr(">8</span>"));
  EXPECT_THAT(html, testing::Not(HasSubstr(">1000</span>")));
}

// From 50 points on, a bold curve averages the neighbors of each.
TEST(Chart, SmoothsACurveUpToItsGaps) {
  Chart chart{"Loss", "", {}, {{"r1", {}}}, false};
  for (int i = 0; i < 60; ++i) {
    chart.x.push_back(i);
    chart.series[0].values.push_back(i == 30 ? std::nan("") : i);
  }
  const auto html = chart_html(chart);
  const std::string bold = "class=\"s1\" d=\"";
  const auto begin = html.find(bold) + bold.size();
  const auto points = html.substr(begin, html.find('"', begin) - begin);
  EXPECT_EQ(std::ranges::count(points, 'M') + std::ranges::count(points, 'L'), 59) << points;
}

TEST(Chart, EscapesNames) {
  const Chart chart{"<b>", "", {0, 1}, {{"</script>", {0, 1}}}, false};
  const auto html = chart_html(chart);
  EXPECT_THAT(html, testing::Not(HasSubstr("<b>&lt;")));
  EXPECT_THAT(html, HasSubstr("&lt;b&gt;"));
  EXPECT_THAT(html, HasSubstr("&lt;/script&gt;"));
}

}  // namespace
}  // namespace ganscale::report
