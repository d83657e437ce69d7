#include <gmock/gmock.h>

#include <cstdlib>
#include <optional>
#include <regex>
#include <string>

#include "report/html_report.h"
#include "support/make_run.h"
#include "support/temporary_folder.h"

namespace ganscale::report {
namespace {

using testing::HasSubstr;

std::optional<std::string> find_browser() {
  for (const std::string name : {"chromium", "chromium-browser", "google-chrome"}) {
    if (std::system(("command -v " + name + " > /dev/null 2>&1").c_str()) == 0) return name;
  }
  return std::nullopt;
}

/// A page after its scripts have run, and the output of the browser's console.
struct Opened {
  std::string dom;
  std::string console;
};

Opened open_page(const std::string& browser, const TemporaryFolder& folder,
                 const std::filesystem::path& page) {
  // --no-sandbox: containers run their tests as root.
  const auto command = browser +
                       " --headless --no-sandbox --disable-gpu --disable-dev-shm-usage"
                       " --enable-logging=stderr --user-data-dir=" +
                       (folder / "profile").string() + " --dump-dom file://" + page.string() +
                       " > " + (folder / "dom").string() + " 2> " + (folder / "log").string();
  EXPECT_EQ(std::system(command.c_str()), 0) << files::read_file(folder / "log");
  const auto log = files::read_file(folder / "log");
  std::string console;
  const std::regex line(".*CONSOLE.*");
  for (std::sregex_iterator it(log.begin(), log.end(), line), end; it != end; ++it) {
    console += it->str() + "\n";
  }
  return {files::read_file(folder / "dom"), console};
}

class ReportPage : public testing::Test {
 protected:
  void SetUp() override {
    browser_ = find_browser();
    if (!browser_) GTEST_SKIP() << "no chromium, chromium-browser or google-chrome in PATH";
  }

  std::optional<std::string> browser_;
  TemporaryFolder folder_;
};

TEST_F(ReportPage, ShowsCurvesAndGridsInABrowserWithoutAConsoleError) {
  make_run(folder_ / "run", 3);
  write_html_report(folder_ / "run", folder_ / "report.html");
  const auto opened = open_page(*browser_, folder_, folder_ / "report.html");
  EXPECT_EQ(opened.console, "");
  EXPECT_THAT(opened.dom, HasSubstr("aria-label=\"Loss\""));
  EXPECT_THAT(opened.dom, HasSubstr("<path class=\"s2\" d=\"M0 "));
  EXPECT_THAT(opened.dom, HasSubstr("<figcaption>Real</figcaption>"));
  // What only page.js writes: the player stands at the last grid, the charts at the last tick.
  EXPECT_THAT(opened.dom, HasSubstr("<output>after 3 kimg</output>"));
  EXPECT_THAT(opened.dom, HasSubstr("data-at=\"3 kimg\" class=\"shown\""));
  EXPECT_THAT(opened.dom, HasSubstr("at 3 kimg"));
}

TEST_F(ReportPage, OfARunWithoutTicksAndGridsHasNoConsoleError) {
  files::write_file_atomically(folder_ / "run/config.yaml", "model: {name: dcgan}\n");
  write_html_report(folder_ / "run", folder_ / "report.html");
  const auto opened = open_page(*browser_, folder_, folder_ / "report.html");
  EXPECT_EQ(opened.console, "");
  EXPECT_THAT(opened.dom, HasSubstr("No tick has been written yet."));
}

TEST_F(ReportPage, OfARunWithASingleGridHasNoConsoleError) {
  make_run(folder_ / "run", 1);
  write_html_report(folder_ / "run", folder_ / "report.html");
  const auto opened = open_page(*browser_, folder_, folder_ / "report.html");
  EXPECT_EQ(opened.console, "");
  EXPECT_THAT(opened.dom, HasSubstr("<output>after 1 kimg</output>"));
  EXPECT_THAT(opened.dom, HasSubstr("at 1 kimg"));
}

TEST_F(ReportPage, ConsoleErrorsAreSeenByThisTest) {
  files::write_file_atomically(folder_ / "broken.html", "<script>undefined_name();</script>");
  const auto opened = open_page(*browser_, folder_, folder_ / "broken.html");
  EXPECT_THAT(opened.console, HasSubstr("undefined_name is not defined"));
}

}  // namespace
}  // namespace ganscale::report
