#include "fault_plan.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <ctime>
#include <regex>
#include <sstream>

namespace ganscale::faults {
namespace {

std::string environment(const char* name, const char* otherwise = "") {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : value;
}

/// Returns the number after the colon of `stall:2`.
long seconds_of(const std::string& kind) { return std::atol(kind.c_str() + kind.find(':') + 1); }

int error_of(const std::string& kind) {
  static const std::map<std::string, int> errors{
      {"EIO", EIO}, {"ENOSPC", ENOSPC}, {"EDQUOT", EDQUOT}, {"EINTR", EINTR}, {"ESTALE", ESTALE}};
  const auto found = errors.find(kind);
  return found == errors.end() ? 0 : found->second;
}

/// Leaves out what differs from run to run: random parts of names, and the time and process in the
/// name of an event file.
std::string stable(const std::string& path) {
  static const std::regex random("\\.[0-9a-f]{16}\\.tmp|tfevents\\..*");
  return std::regex_replace(path, random, "*");
}

// Not through libc, whose calls this library stands before.
void write_line(int file, const std::string& line) {
  if (file >= 0) ::syscall(SYS_write, file, line.data(), line.size());
}

void stall(long seconds) {
  timespec left{.tv_sec = seconds, .tv_nsec = 0};
  while (::nanosleep(&left, &left) != 0) {
  }
}

}  // namespace

FaultPlan& FaultPlan::instance() {
  static auto* const plan = new FaultPlan;  // calls are made until the process ends
  return *plan;
}

FaultPlan::FaultPlan()
    : at_(environment("STORAGE_FAULTS_AT")),
      kind_(environment("STORAGE_FAULTS_KIND")),
      to_fail_(std::atoi(environment("STORAGE_FAULTS_COUNT", "1").c_str())) {
  std::istringstream list(environment("STORAGE_FAULTS_FOLDERS"));
  for (std::string folder; std::getline(list, folder, ':');) folders_.push_back(folder);
  const auto trace = environment("STORAGE_FAULTS_TRACE");
  if (trace.empty()) return;
  trace_ = static_cast<int>(::syscall(SYS_openat, AT_FDCWD, trace.c_str(),
                                      O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
}

std::string FaultPlan::resolve(int folder, const char* path) const {
  std::string whole = path == nullptr ? "" : path;
  if (!whole.starts_with('/')) {
    std::array<char, PATH_MAX> here{};
    const std::string base = folder == AT_FDCWD && ::getcwd(here.data(), here.size()) != nullptr
                                 ? here.data()
                                 : path_of(folder);
    if (base.empty()) return "";
    whole = whole.empty() ? base : base + "/" + whole;
  }
  const bool is_ours = std::ranges::any_of(folders_, [&](const std::string& ours) {
    return whole.starts_with(ours) && (whole.size() == ours.size() || whole[ours.size()] == '/');
  });
  return is_ours ? whole : "";
}

std::string FaultPlan::path_of(int descriptor) const {
  if (descriptor < 0 || descriptor >= static_cast<int>(kDescriptors)) return "";
  const std::string* path = open_[static_cast<std::size_t>(descriptor)];
  return path == nullptr ? "" : *path;
}

void FaultPlan::opened(int descriptor, const std::string& path) {
  if (path.empty() || descriptor < 0 || descriptor >= static_cast<int>(kDescriptors)) return;
  // Never freed: another thread may be reading it.
  open_[static_cast<std::size_t>(descriptor)] = new std::string(path);
}

void FaultPlan::closed(int descriptor) {
  if (descriptor >= 0 && descriptor < static_cast<int>(kDescriptors))
    open_[static_cast<std::size_t>(descriptor)] = nullptr;
}

/// Returns the path from the last part of its folder.
std::string FaultPlan::shown(const std::string& path) const {
  for (const auto& folder : folders_) {
    if (path.starts_with(folder)) return stable(path.substr(folder.rfind('/') + 1));
  }
  return path;
}

/// Returns whether the call is one of those to fail, and counts it if so.
bool FaultPlan::is_hit(const std::string& name, const std::string& call, const std::string& path) {
  if (!has_begun_ && call == at_) {
    has_begun_ = true;
    failing_name_ = name;
    failing_folder_ = path.substr(0, path.find('/'));
  }
  if (!has_begun_ || to_fail_ == 0) return false;
  const bool is_meant =
      kind_ == "vanish" ? path.substr(0, path.find('/')) == failing_folder_ : name == failing_name_;
  if (is_meant) --to_fail_;
  return is_meant;
}

Outcome FaultPlan::apply(By by) {
  if (kind_.starts_with("stall:")) stall(seconds_of(kind_));
  if (kind_.starts_with("clock:")) clock_jump_seconds_ = seconds_of(kind_);
  if (kind_ == "vanish") return {.error = by == By::kPath ? ENOENT : ESTALE};
  const bool is_last = kind_ == "kill";
  return {.error = error_of(kind_), .is_short = is_last || kind_ == "short", .is_last = is_last};
}

Outcome FaultPlan::of_call(const char* name, By by, const std::string& path) {
  if (path.empty()) return {};
  const int error_before = errno;
  bool hits = false;
  {
    const std::scoped_lock lock(mutex_);
    const auto place = shown(path);
    const auto key = std::string(name) + " " + place;
    const auto call = std::string(name) + " " + std::to_string(++counts_[key]) + " " + place;
    hits = is_hit(name, call, place);
    write_line(trace_, (hits ? "! " : "") + call + "\n");
  }
  const Outcome outcome = hits ? apply(by) : Outcome{};
  errno = error_before;
  return outcome;
}

}  // namespace ganscale::faults
