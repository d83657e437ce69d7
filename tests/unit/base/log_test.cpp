#include "base/log.h"

#include <gmock/gmock.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/thread_rank.h"
#include "support/temporary_folder.h"

namespace ganscale {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// Puts the process-wide settings back at the end of each test.
class Log : public testing::Test {
 protected:
  ~Log() override {
    log::set_format(log::Format::kText);
    log::set_rank(0);
    log::set_file({});
  }

  /// Returns what `action` writes to standard error.
  template <class Action>
  static std::string printed(Action action) {
    testing::internal::CaptureStderr();
    action();
    return testing::internal::GetCapturedStderr();
  }

  std::vector<json> lines() const {
    std::ifstream in(file_);
    std::vector<json> all;
    for (std::string line; std::getline(in, line);) all.push_back(json::parse(line));
    return all;
  }

  const TemporaryFolder folder_;
  const std::filesystem::path file_ = folder_ / "log.jsonl";
};

TEST_F(Log, PrintsAMessageAndItsPairs) {
  const std::filesystem::path path = "/runs/r1";
  EXPECT_EQ(printed([&] {
              log::info("Wrote checkpoint", {{"bytes", 7}, {"seconds", 3.5}, {"folder", path}});
            }),
            "Wrote checkpoint  bytes=7  seconds=3.5  folder=/runs/r1\n");
}

TEST_F(Log, EscapesControlCharacters) {
  const std::string name = "a\x1b[2Jb\rc\x7f";
  EXPECT_EQ(printed([&] { log::error("No file " + name, {{"name", name}}); }),
            "ganscale: error: No file a\\x1b[2Jb\\x0dc\\x7f  name=a\\x1b[2Jb\\x0dc\\x7f\n");
  EXPECT_EQ(printed([] { log::info("Wrote", {{"file", "a\nganscale: error: b"}, {"n", 1}}); }),
            "Wrote  file=a\\x0aganscale: error: b  n=1\n");
  EXPECT_EQ(printed([] { log::error("Two:\n\tlines, häh"); }),
            "ganscale: error: Two:\n\tlines, häh\n");
}

TEST_F(Log, NamesProgramAndLevelOfWarningsAndErrors) {
  EXPECT_EQ(printed([] { log::warning("Slow", {{"rank", 2}}); }),
            "ganscale: warning: Slow  rank=2\n");
  EXPECT_EQ(printed([] { log::error("Lost"); }), "ganscale: error: Lost\n");
}

TEST_F(Log, OfOtherRanksPrintsWarningsOnly) {
  log::set_rank(3);
  EXPECT_EQ(printed([] { log::info("Training"); }), "");
  EXPECT_EQ(printed([] { log::warning("Slow"); }), "ganscale: warning: [rank 3] Slow\n");
}

TEST_F(Log, NamesTheRankOfAThreadThatHasItsOwn) {
  EXPECT_EQ(printed([] {
              const ThreadRank rank(1);
              log::info("Training");
              log::warning("Slow");
            }),
            "ganscale: warning: [rank 1] Slow\n");
  EXPECT_EQ(printed([] { log::info("Training"); }), "Training\n");
}

TEST_F(Log, AsJsonIsAnObjectALine) {
  log::set_format(log::Format::kJson);
  log::set_rank(2);
  const auto text = printed([] { log::error("Lost", {{"on", true}, {"count", -1}, {"x", "y"}}); });
  const auto line = json::parse(text);
  EXPECT_EQ(line.at("level"), "error");
  EXPECT_EQ(line.at("rank"), 2);
  EXPECT_EQ(line.at("message"), "Lost");
  EXPECT_EQ(line.at("on"), true);
  EXPECT_EQ(line.at("count"), -1);
  EXPECT_EQ(line.at("x"), "y");
  EXPECT_THAT(line.at("time").get<std::string>(),
              testing::MatchesRegex("....-..-..T..:..:..\\....Z"));
  EXPECT_EQ(text.back(), '\n');
}

TEST_F(Log, AlsoGoesToAFileOfEveryRank) {
  log::set_file(file_);
  log::set_rank(1);
  printed([] { log::info("Training", {{"batch", 64}}); });
  log::set_file({});
  printed([] { log::info("Not in the file"); });
  const auto all = lines();
  ASSERT_EQ(all.size(), 1);
  EXPECT_EQ(all[0].at("level"), "info");
  EXPECT_EQ(all[0].at("rank"), 1);
  EXPECT_EQ(all[0].at("batch"), 64);
}

TEST_F(Log, AppendsToAFileThatIsThere) {
  for (const char* message : {"one", "two"}) {
    log::set_file(file_);
    printed([&] { log::info(message); });
  }
  const auto all = lines();
  ASSERT_EQ(all.size(), 2);
  EXPECT_EQ(all[0].at("message"), "one");
  EXPECT_EQ(all[1].at("message"), "two");
}

TEST_F(Log, CutsOffThePartialLineOfAKilledProcess) {
  for (const auto* before : {"{}\n{\"mess", "{}\n"}) {
    folder_.write("log.jsonl", before);
    log::set_file(file_);
    printed([] { log::info("one"); });
    const auto all = lines();
    ASSERT_EQ(all.size(), 2) << before;
    EXPECT_EQ(all[1].at("message"), "one");
  }
}

// A file name may be any bytes; a log line is UTF-8 all the same, and no reason to throw.
TEST_F(Log, ReplacesInvalidUtf8) {
  log::set_file(file_);
  printed([] { log::warning("Skipped", {{"file", std::string("a\xFF") + "b"}}); });
  EXPECT_EQ(lines().at(0).at("file"), "a\uFFFDb");
}

TEST_F(Log, LinesOfThreadsDoNotInterleave) {
  log::set_file(file_);
  printed([] {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([] {
        for (int j = 0; j < 50; ++j) log::info("A message", {{"number", j}});
      });
    }
  });
  EXPECT_EQ(lines().size(), 200);
}

TEST_F(Log, WritesOnceTheDiskHasRoomAgain) {
  constexpr std::size_t kLargest = 10'000;
  folder_.write("log.jsonl", json{{"full", std::string(kLargest, 'x')}}.dump() + "\n");
  log::set_file(file_);
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit full{.rlim_cur = kLargest, .rlim_max = limit.rlim_max};
  std::signal(SIGXFSZ, SIG_IGN);
  const auto text = printed([&] {
    setrlimit(RLIMIT_FSIZE, &full);
    log::info("one");
    log::info("two");
    setrlimit(RLIMIT_FSIZE, &limit);
    log::info("three");
  });
  std::signal(SIGXFSZ, SIG_DFL);
  EXPECT_EQ(lines().size(), 4);
  const std::string warning = "Cannot write the log file  reason=File too large";
  EXPECT_THAT(text, testing::HasSubstr(warning));
  EXPECT_EQ(text.find(warning), text.rfind(warning)) << "it is said once";
}

TEST_F(Log, SaysThatItsFileCannotBeOpened) {
  const auto text = printed([] { log::set_file("/proc/none/log.jsonl"); });
  EXPECT_THAT(text, testing::HasSubstr("Cannot open the log file  file=/proc/none/log.jsonl  "
                                       "reason=No such file or directory"));
}

}  // namespace
}  // namespace ganscale
