#include "report/log/stats_log.h"

#include <gmock/gmock.h>
#include <sys/resource.h>

#include <cmath>
#include <csignal>
#include <fstream>

#include "files/atomic_file.h"
#include "report/log/tick.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace ganscale::report {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::int64_t> images_seen(const std::filesystem::path& path) {
  std::vector<std::int64_t> all;
  for (const auto& line : read_json_lines(path)) all.push_back(line.at("images_seen"));
  return all;
}

class StatsLogTest : public testing::Test {
 protected:
  void write(std::int64_t resume_at, const std::vector<std::int64_t>& ticks) const {
    StatsLog log(path_, resume_at);
    for (const auto seen : ticks) {
      Tick tick;
      tick.images_seen = seen;
      log.append(to_json(tick));
    }
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "stats.jsonl";
};

TEST_F(StatsLogTest, ResumedRunHasNoTickTwice) {
  write(0, {1000, 2000, 3000});
  write(2000, {3000, 4000});
  EXPECT_THAT(images_seen(path_), ElementsAre(1000, 2000, 3000, 4000));
}

TEST_F(StatsLogTest, ResumeBetweenTwoTicksDropsTheLaterOne) {
  write(0, {1000, 2000});
  write(1500, {});
  EXPECT_THAT(images_seen(path_), ElementsAre(1000));
}

TEST_F(StatsLogTest, NewRunStartsOver) {
  write(0, {0, 1000});
  write(0, {});
  EXPECT_THAT(images_seen(path_), IsEmpty());
}

TEST_F(StatsLogTest, TornLastLineIsDropped) {
  write(0, {1000, 2000});
  std::ofstream(path_, std::ios::app) << R"({"tick": 3, "images_se)";
  EXPECT_THAT(images_seen(path_), ElementsAre(1000, 2000));
  write(9000, {3000});
  EXPECT_THAT(images_seen(path_), ElementsAre(1000, 2000, 3000));
}

TEST_F(StatsLogTest, IsReadFromWhereItWasReadBefore) {
  std::size_t offset_bytes = 0;
  EXPECT_THAT(read_json_lines(path_, offset_bytes), IsEmpty());
  write(0, {1000, 2000});
  EXPECT_EQ(read_json_lines(path_, offset_bytes).size(), 2);
  EXPECT_THAT(read_json_lines(path_, offset_bytes), IsEmpty());
  std::ofstream(path_, std::ios::app) << R"({"images_seen": )";
  EXPECT_THAT(read_json_lines(path_, offset_bytes), IsEmpty());
  std::ofstream(path_, std::ios::app) << "3000}\n";
  const auto added = read_json_lines(path_, offset_bytes);
  ASSERT_EQ(added.size(), 1);
  EXPECT_EQ(added[0].at("images_seen"), 3000);
}

TEST_F(StatsLogTest, NamesTheFileThatCannotBeWritten) {
  expect_error(ExitCode::kData, "can't write: /proc/none/stats.jsonl: No such file or directory",
               [] { StatsLog("/proc/none/stats.jsonl", 0); });
}

// A limit on the size of files acts as a full disk does: the part that fits is written.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t size_bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{size_bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

TEST_F(StatsLogTest, LeavesNoTornLineWhenTheDiskIsFull) {
  write(0, {1000});
  const auto before = files::read_file(path_);
  {
    StatsLog log(path_, 1000);
    const FileSizeLimit limit(before.size() + 10);
    expect_error(ExitCode::kData, "stats.jsonl: File too large",
                 [&] { log.append({{"images_seen", 2000}}); });
    EXPECT_EQ(files::read_file(path_), before);
  }
  write(1000, {2000});
  EXPECT_THAT(images_seen(path_), ElementsAre(1000, 2000));
}

TEST(Tick, BecomesOneObjectWithoutAbsentValues) {
  Tick tick;
  tick.images_seen = 1500;
  tick.losses = {{"generator", std::nan("")}};
  const auto text = to_json(tick).dump();
  EXPECT_THAT(text, testing::HasSubstr(R"("kimg":1.5,"images_seen":1500)"));
  EXPECT_THAT(text, testing::HasSubstr(R"("loss":{"generator":null})"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("device_memory")));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("roles")));
}

TEST(Tick, ReportsTheWorkOfEachRole) {
  Tick tick;
  tick.roles["generator"] = {.ranks = 2,
                             .steps = 16,
                             .seconds_per_step = 0.5,
                             .wait_share = 0.25,
                             .steps_of_age = {{0, 2}, {1, 30}}};
  EXPECT_EQ(to_json(tick).at("roles").dump(),
            R"({"generator":{"ranks":2,"steps":16,"images":0,"seconds_per_step":0.5,)"
            R"("wait_share":0.25,"staleness":{"0":2,"1":30}}})");
}

}  // namespace
}  // namespace ganscale::report
