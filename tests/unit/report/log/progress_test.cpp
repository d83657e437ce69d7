#include "report/log/progress.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/log.h"
#include "base/terminal.h"
#include "support/temporary_folder.h"
#include "support/wait_until.h"

namespace ganscale::report {
namespace {

TEST(Progress, ShowsShareNumbersRateAndTimeLeft) {
  const Advance advance{.done = 62'500, .total = 250'000, .seconds = 50};
  EXPECT_EQ(progress_line(advance, "images", 80),
            "[=======>                    ]  25%  62,500/250,000 images  1250/s  left 2m 30s");
}

TEST(Progress, CountsOnlyThisRunsWorkInTheRate) {
  const Advance resumed{.done = 200, .total = 300, .done_at_start = 100, .seconds = 10};
  EXPECT_DOUBLE_EQ(seconds_left(resumed), 10);
}

TEST(Progress, ShowsNoTimeLeftBeforeTheFirstStep) {
  EXPECT_TRUE(std::isinf(seconds_left({.done = 5, .total = 10, .done_at_start = 5})));
  EXPECT_EQ(seconds_left({.done = 10, .total = 10, .done_at_start = 10}), 0);
}

TEST(Progress, FitsANarrowTerminal) {
  const Advance advance{.done = 5, .total = 10, .seconds = 1};
  EXPECT_EQ(progress_line(advance, "images", 30).size(), 29U);
  EXPECT_EQ(progress_line(advance, "images", 1), "");
}

TEST(ProgressBar, LogsAProgressThatIsSilentForLongEvenWithinAStep) {
  if (terminal::is_open()) GTEST_SKIP() << "standard error is a terminal";
  const TemporaryFolder folder;
  log::set_file(folder / "log.jsonl");
  {
    const ProgressBar bar("images", 100, 7, std::chrono::milliseconds(20));
    wait_until([&] { return std::filesystem::file_size(folder / "log.jsonl") > 0; });
  }
  log::set_file({});
  std::ifstream file(folder / "log.jsonl");
  std::string text;
  std::getline(file, text);
  const auto line = nlohmann::json::parse(text);
  EXPECT_EQ(line["message"], "Progress");
  EXPECT_EQ(line["of"], "images");
  EXPECT_EQ(line["done"], 7);
  EXPECT_EQ(line["total"], 100);
}

}  // namespace
}  // namespace ganscale::report
