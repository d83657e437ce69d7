#include "training/schemes/per_label/folder_barrier.h"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <fstream>
#include <optional>
#include <thread>
#include <vector>

#include "base/log.h"
#include "files/atomic_file.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"
#include "support/wait_until.h"

namespace ganscale::training {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kTimeout{1000};
constexpr milliseconds kAmpleTimeout{4000};  // threads of a busy machine may stand still
constexpr milliseconds kLong = kAmpleTimeout * 5 / 4;

TEST(FolderBarrier, HoldsAllRanksUntilTheLastIsThere) {
  const TemporaryFolder folder;
  std::atomic<int> arrived = 0;
  std::vector<std::thread> ranks;
  for (int rank = 0; rank < 3; ++rank) {
    ranks.emplace_back([&, rank] {
      FolderBarrier barrier(folder.path(), rank, 3, kAmpleTimeout);
      for (int round = 1; round <= 2; ++round) {
        if (rank == 1 && round == 2)
          std::this_thread::sleep_for(kLong);  // it works, and is not lost
        ++arrived;
        barrier.wait();
        EXPECT_GE(arrived, 3 * round);
      }
    });
  }
  for (auto& rank : ranks) rank.join();
}

TEST(FolderBarrier, NamesARankThatNeverWrote) {
  const TemporaryFolder folder;
  FolderBarrier barrier(folder.path(), 0, 2, kTimeout);
  expect_error(ExitCode::kPeerLost, "rank 1 is lost: it has not written", [&] { barrier.wait(); });
}

TEST(FolderBarrier, NoticesALostRankWhileAnotherStillWorks) {
  const TemporaryFolder folder;
  FolderBarrier barrier(folder.path(), 0, 3, kAmpleTimeout);
  const FolderBarrier works(folder.path(), 1, 3, kAmpleTimeout);
  std::optional<FolderBarrier> lost(std::in_place, folder.path(), 2, 3, kAmpleTimeout);
  lost.reset();
  expect_error(ExitCode::kPeerLost, "rank 2 is lost", [&] { barrier.wait(); });
}

TEST(FolderBarrier, NoticesThatRank0IsLost) {
  const TemporaryFolder folder;
  {
    const FolderBarrier lost(folder.path(), 0, 2, kTimeout);
  }
  FolderBarrier barrier(folder.path(), 1, 2, kTimeout);
  expect_error(ExitCode::kPeerLost, "rank 0 is lost", [&] { barrier.wait(); });
}

TEST(FolderBarrier, TreatsAnUnreadableLineAsSilence) {
  const TemporaryFolder folder;
  FolderBarrier barrier(folder.path(), 0, 2, kTimeout);
  folder.write("ranks/rank-0001", "not a line");
  expect_error(ExitCode::kPeerLost, "rank 1 is lost", [&] { barrier.wait(); });
}

TEST(FolderBarrier, StopsTheOtherRanksOfAStartThatOneIsToldToStop) {
  const TemporaryFolder folder;
  {
    const StopSignal stop;
    FolderBarrier told(folder.path(), 1, 2, kTimeout);
    std::raise(SIGTERM);
    told.share(stop, /*start=*/7);
    EXPECT_TRUE(wait_until([&] {
      int start = 0;
      std::ifstream(folder / "ranks/stop") >> start;
      return start == 7;
    }));
  }
  const StopSignal stop;
  FolderBarrier other(folder.path(), 0, 2, kTimeout);
  other.share(stop, /*start=*/8);
  std::this_thread::sleep_for(kTimeout);
  EXPECT_FALSE(stop.received()) << "for a signal of an earlier start";
  other.share(stop, /*start=*/7);
  EXPECT_TRUE(wait_until([&] { return stop.received(); }));
}

TEST(FolderBarrier, SaysThatItCannotStopTheOtherRanks) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "ranks/stop");  // no file can be there
  const std::filesystem::path file = folder.write("log.jsonl", "");
  log::set_file(file);
  {
    const StopSignal stop;
    FolderBarrier told(folder.path(), 1, 2, kTimeout);
    std::raise(SIGTERM);
    told.share(stop, /*start=*/7);
    EXPECT_TRUE(wait_until([&] {
      return files::read_file(file).find("Cannot tell the other ranks to stop") !=
             std::string::npos;
    }));
  }
  log::set_file({});
}

TEST(FolderBarrier, ForgetsTheLinesOfAnEarlierStart) {
  const TemporaryFolder folder;
  folder.write("ranks/rank-0001", "99 1 1\n");
  FolderBarrier last(folder.path(), 1, 2, kAmpleTimeout);
  FolderBarrier first(folder.path(), 0, 2, kAmpleTimeout);
  std::atomic<bool> has_passed = false;
  std::thread rank_0([&] {
    first.wait();
    has_passed = true;
  });
  std::this_thread::sleep_for(kTimeout);
  EXPECT_FALSE(has_passed);
  last.wait();
  rank_0.join();
}

}  // namespace
}  // namespace ganscale::training
