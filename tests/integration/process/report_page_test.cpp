#include <gmock/gmock.h>

#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <regex>
#include <string>

#include "report/page/html_report.h"
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
                       " --headless --no-sandbox --allow-file-access-from-files --disable-gpu "
                       "--disable-software-rasterizer --disable-dev-shm-usage"
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

/// A label of labels.json, by number, name and state.
std::string label(int number, const std::string& name, const std::string& state) {
  const bool failed = state == "failed";
  return R"({"label": )" + std::to_string(number) + R"(, "name": ")" + name + R"(", "state": ")" +
         state + R"(", "images_seen": )" + (failed ? "0" : "8000") +
         R"(, "total_images": 8000, "seconds": 60, "error": ")" +
         (failed ? "damaged record <7>" : "") + "\"}";
}

/// A kind of run, and what its page shows that only page.js writes or only this kind has.
struct Kind {
  std::string name;
  std::function<void(const std::filesystem::path& run)> make;
  std::vector<std::string> shows;
};

const std::vector<Kind> kKinds = {
    {"OneGrid",
     [](const auto& run) { make_run(run, 1); },
     {"<output>after 1 kimg</output>", "at 1 kimg"}},
    {"NoLabels", [](const auto& run) { make_run(run, 3); }, {"data-at=\"3 kimg\" class=\"shown\""}},
    {"LabelsByName",
     [](const auto& run) {
       make_run(run, 0);
       files::write_file_atomically(
           run / "labels.json",
           "[" + label(0, "cat", "done") + ", " + label(1, "a dog & its tail", "done") + ", " +
               label(2, "n02119022 red fox, Vulpes vulpes, and its relatives", "done") + "]");
     },
     {"0 cat", "1 a dog &amp; its tail", "3 labels have a generator"}},
    {"MetricsWithOneValue",
     [](const auto& run) {
       make_run(run, 2);
       files::write_file_atomically(run / "metrics.jsonl",
                                    "{\"images_seen\": 2000, \"fid50k\": 12.5}\n");
     },
     // Once against images, once against time.
     {"<span>fid50k</span>", "class=\"s1 dot\"", "at 2 kimg", "at 2 min"}},
    {"LargeNumbers",
     [](const auto& run) {
       make_run(run, 1);
       files::write_file_atomically(run / "metrics.jsonl",
                                    "{\"images_seen\": 25123000, \"fid50k\": 1234.75}\n");
     },
     {"fid50k <b>1235</b>", "at 25123 kimg"}},
    {"MetricsWithinLabels",
     [](const auto& run) {
       make_run(run, 1);
       files::write_file_atomically(
           run / "metrics.jsonl",
           R"({"images_seen": 1000, "labels": "data", "dc50k5_coverage_labels": [0.5, 0.25],)"
           R"( "dc50k5_density_labels": [0.5, 0.25], "fid50k_labels": [12.5, 25],)"
           R"( "pr50k3_precision_labels": [0.5, 0.25], "pr50k3_recall_labels": [0.5, 0.25]})"
           "\n");
     },
     {"<th>pr50k3_recall</th>", "2 labels"}},
    {"FailedLabel",
     [](const auto& run) {
       make_run(run, 0);
       files::write_file_atomically(run / "labels.json", "[" + label(0, "cat", "done") + ", " +
                                                             label(1, "dog", "failed") + "]");
     },
     {"damaged record &lt;7&gt;", "1 label has a generator"}},
    {"ThousandLabels",
     [](const auto& run) {
       make_run(run, 0);
       std::string labels = "[";
       for (int i = 0; i < 1000; ++i) {
         labels += (i > 0 ? ", " : "") + label(i, "n" + std::to_string(1440764 + i), "done");
       }
       files::write_file_atomically(run / "labels.json", labels + "]");
     },
     {"999 n1441763", "1000 labels have a generator"}},
};

/// What the console gets from a page that something sticks out of.
std::string complaint_of(const std::string& name) {
  return "<script>if (document.documentElement.scrollWidth > innerWidth) console.error('wider than "
         "the screen: " +
         name + ": ' + document.documentElement.scrollWidth + ' of ' + innerWidth)</script>";
}

/// Opens pages as a phone would, each in a frame of 400 pixels (no window is as narrow). In the DOM,
/// what a frame shows stands in its place.
Opened open_on_phone(const std::string& browser, const TemporaryFolder& folder,
                     const std::map<std::string, std::string>& pages) {
  std::string frames =
      "<script>onload = () => document.querySelectorAll('iframe').forEach(frame => {"
      "const copy = document.createElement('div'); copy.id = frame.name;"
      "copy.append(frame.contentDocument.documentElement); frame.replaceWith(copy)})</script>";
  for (const auto& [name, page] : pages) {
    folder.write(name + ".html", page + complaint_of(name));
    frames += "<iframe name=\"" + name + "\" src=\"" + name +
              ".html\" width=\"400\" height=\"800\"></iframe>";
  }
  return open_page(browser, folder, folder.write("phone.html", frames));
}

// One start of the browser for all: it takes longer than the pages.
TEST_F(ReportPage, OfEveryKindHasNoConsoleErrorAndFitsThePhone) {
  std::map<std::string, std::string> pages;
  for (const Kind& kind : kKinds) {
    kind.make(folder_ / kind.name);
    pages[kind.name] = html_report(read_run(folder_ / kind.name));
  }
  const auto opened = open_on_phone(*browser_, folder_, pages);
  EXPECT_EQ(opened.console, "");
  for (const Kind& kind : kKinds) {
    const auto begin = opened.dom.find("<div id=\"" + kind.name + "\">");
    ASSERT_NE(begin, std::string::npos) << kind.name;
    const auto shown = opened.dom.substr(begin, opened.dom.find("</body>", begin) - begin);
    for (const std::string& text : kind.shows) EXPECT_THAT(shown, HasSubstr(text)) << kind.name;
  }
}

TEST_F(ReportPage, OverflowIsSeenByThisTest) {
  const std::string wide = "<!doctype html><p style=\"width: 500px\">wide</p>";
  const auto opened = open_on_phone(
      *browser_, folder_, {{"first", "<!doctype html>"}, {"second", wide}, {"third", wide}});
  EXPECT_THAT(opened.console, testing::Not(HasSubstr("wider than the screen: first")));
  EXPECT_THAT(opened.console, HasSubstr("wider than the screen: second"));
  EXPECT_THAT(opened.console, HasSubstr("wider than the screen: third"));
}

TEST_F(ReportPage, ConsoleErrorsAreSeenByThisTest) {
  files::write_file_atomically(folder_ / "broken.html", "<script>undefined_name();</script>");
  const auto opened = open_page(*browser_, folder_, folder_ / "broken.html");
  EXPECT_THAT(opened.console, HasSubstr("undefined_name is not defined"));
}

}  // namespace
}  // namespace ganscale::report
