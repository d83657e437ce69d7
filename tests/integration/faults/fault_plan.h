#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace ganscale::faults {

/// What becomes of a call: it is made as it is unless a member says otherwise.
struct Outcome {
  int error = 0;          ///< it fails with this errno
  bool is_short = false;  ///< it moves only half of the bytes
  bool is_last = false;   ///< the process is killed during it
};

/// How a call finds its file. What is open stays open where a folder vanishes, but is stale.
enum class By { kPath, kDescriptor };

/// Counts the calls that reach files below some folders, and chooses what becomes of each, as the
/// environment says:
///
/// STORAGE_FAULTS_FOLDERS  absolute paths, separated by colons
/// STORAGE_FAULTS_TRACE    a file that gets a line for each call: `NAME N PATH`, where N is the
///                         number of calls of this name and path so far; PATH begins with the last
///                         part of the folder. Digits that differ from run to run are left out
/// STORAGE_FAULTS_AT       such a line: the call to fail. The line of a call that failed begins
///                         with `!`
/// STORAGE_FAULTS_KIND     EIO, ENOSPC, EDQUOT, EINTR or ESTALE: it fails so.
///                         short: it moves half of the bytes.
///                         kill: the process is killed during it.
///                         stall:SECONDS: it takes so long.
///                         clock:SECONDS: from then on the clock of the day differs by so much.
///                         vanish: the folder does not exist, for whatever calls
/// STORAGE_FAULTS_COUNT    1, or how many calls of this name (vanish: of the folder) fail in a row
class FaultPlan {
 public:
  static FaultPlan& instance();

  Outcome of_call(const char* name, By by, const std::string& path);
  /// Returns the absolute path; empty unless it is below one of the folders.
  std::string resolve(int folder, const char* path) const;
  std::string path_of(int descriptor) const;
  void opened(int descriptor, const std::string& path);
  void closed(int descriptor);
  long clock_jump_seconds() const { return clock_jump_seconds_; }

 private:
  FaultPlan();
  std::string shown(const std::string& path) const;
  bool is_hit(const std::string& name, const std::string& call, const std::string& path);
  Outcome apply(By by);

  static constexpr std::size_t kDescriptors = 4096;

  std::vector<std::string> folders_;
  std::string at_, kind_;
  int trace_ = -1;
  std::mutex mutex_;
  std::map<std::string, int> counts_;  // of each name and path
  int to_fail_ = 1;
  bool has_begun_ = false;
  std::string failing_name_, failing_folder_;
  std::atomic<long> clock_jump_seconds_ = 0;
  std::array<std::atomic<const std::string*>, kDescriptors> open_{};
};

}  // namespace ganscale::faults
