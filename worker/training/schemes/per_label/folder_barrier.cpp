#include "training/schemes/per_label/folder_barrier.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "files/atomic_file.h"

namespace ganscale::training {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr int kLinesInTimeout = 8;
constexpr milliseconds kShortestPause{20};
constexpr milliseconds kLongestPause{1000};

/// A line of a rank's file.
struct Line {
  std::int64_t number = 0;
  std::int64_t reached = 0;
  std::int64_t passed = 0;
  bool operator==(const Line&) const = default;
};

std::filesystem::path file_of(const std::filesystem::path& folder, int rank) {
  return folder / fmt::format("rank-{:04}", rank);
}

/// Returns the line of a rank; of one whose file can't be read now, the line of a silent one.
Line read_line(const std::filesystem::path& file) {
  Line line;
  try {
    std::istringstream(files::read_file(file)) >> line.number >> line.reached >> line.passed;
  } catch (const DataError&) {
    // Its rank is lost only if it stays like that.
  }
  return line;
}

/// A rank that is waited for.
class Peer {
 public:
  Peer(const std::filesystem::path& folder, int rank) : rank_(rank), file_(file_of(folder, rank)) {}

  /// Reads its line. Throws PeerLost if that is the same for `timeout`.
  const Line& read(milliseconds timeout) {
    const Line line = read_line(file_);
    if (line != line_) since_ = Clock::now();
    line_ = line;
    if (Clock::now() - since_ < timeout) return line_;
    throw PeerLost(
        "rank " + std::to_string(rank_) + " is lost: it has not written " + file_.string() +
        " for " +
        std::to_string(std::chrono::duration_cast<std::chrono::seconds>(timeout).count()) +
        " s (comm.timeout)");
  }

 private:
  int rank_;
  std::filesystem::path file_;
  Line line_;
  Clock::time_point since_ = Clock::now();
};

/// Waits until `is_there` holds for the lines of all `peers`. Throws as Peer::read() does.
template <class IsThere>
void wait_for(std::vector<Peer> peers, milliseconds timeout, IsThere is_there) {
  milliseconds pause = kShortestPause;
  while (true) {
    std::erase_if(peers, [&](Peer& peer) { return is_there(peer.read(timeout)); });
    if (peers.empty()) return;
    std::this_thread::sleep_for(pause);
    pause = std::min(kLongestPause, pause * 3 / 2);
  }
}

}  // namespace

FolderBarrier::FolderBarrier(const std::filesystem::path& run, int rank, int size,
                             milliseconds timeout)
    : folder_(run / "ranks"), rank_(rank), size_(size), timeout_(timeout) {
  std::error_code ignored;  // the warning of the first line says so
  std::filesystem::create_directories(folder_, ignored);
  const std::scoped_lock lock(mutex_);
  write_line();
  writer_ = std::thread([this] { write_lines(timeout_ / kLinesInTimeout); });
}

FolderBarrier::~FolderBarrier() {
  {
    const std::scoped_lock lock(mutex_);
    is_ending_ = true;
  }
  ended_.notify_all();
  writer_.join();
}

/// The caller holds the mutex. A reader that comes in between finds fewer numbers or smaller ones.
void FolderBarrier::write_line() {
  std::ofstream file(file_of(folder_, rank_));
  file << ++lines_ << ' ' << reached_ << ' ' << passed_ << '\n' << std::flush;
  if (!file)
    log::warning("Cannot signal to the other ranks that this one is alive", {{"folder", folder_}});
}

void FolderBarrier::write_lines(milliseconds every) {
  const milliseconds pause = std::min(every, kLongestPause);
  auto next = Clock::now() + every;
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, pause, [this] { return is_ending_; })) {
    if (stop_ != nullptr) pass_stop_on();
    if (Clock::now() < next) continue;
    write_line();
    next = Clock::now() + every;
  }
}

/// The caller holds the mutex. What an earlier start left has another number.
void FolderBarrier::pass_stop_on() const {
  const auto file = folder_ / "stop";
  std::int64_t stopped_start = 0;
  std::ifstream(file) >> stopped_start;
  if (stopped_start == start_) {
    stop_->request();
  } else if (stop_->received()) {
    std::ofstream stopped(file);
    stopped << start_ << '\n' << std::flush;
    if (!stopped) log::warning("Cannot tell the other ranks to stop", {{"folder", folder_}});
  }
}

void FolderBarrier::share(const StopSignal& stop, std::int64_t start) {
  const std::scoped_lock lock(mutex_);
  stop_ = &stop;
  start_ = start;
}

void FolderBarrier::wait() {
  const auto count = [&] {
    const std::scoped_lock lock(mutex_);
    ++reached_;
    write_line();
    return reached_;
  }();
  if (rank_ != 0) {
    wait_for({Peer(folder_, 0)}, timeout_, [&](const Line& line) { return line.passed >= count; });
    return;
  }
  std::vector<Peer> peers;
  for (int rank = 1; rank < size_; ++rank) peers.emplace_back(folder_, rank);
  wait_for(std::move(peers), timeout_, [&](const Line& line) { return line.reached >= count; });
  const std::scoped_lock lock(mutex_);
  passed_ = count;
  write_line();
}

}  // namespace ganscale::training
