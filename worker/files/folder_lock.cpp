#include "files/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <ctime>
#include <optional>
#include <sstream>
#include <system_error>
#include <thread>

#include "base/error.h"
#include "base/host.h"
#include "base/log.h"
#include "base/utc_text.h"
#include "files/atomic_file.h"
#include "files/input_error.h"
#include "files/uninterrupted.h"

namespace ganscale::files {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHost = "host: ";
constexpr const char* kProcess = "process: ";
constexpr const char* kSince = "since: ";
constexpr const char* kAttempt = "attempt: ";

std::string reason_of(int error) {
  return std::error_code(error, std::generic_category()).message();
}

/// Returns what a line of the file says; nothing if there is no such line.
std::optional<std::string> line_of(const std::string& text, const std::string& key) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(key)) return line.substr(key.size());
  }
  return std::nullopt;
}

std::string field(const std::string& text, const std::string& key) {
  return line_of(text, key).value_or("");
}

std::string text_of(const fs::path& file) {
  try {
    return read_file(file);
  } catch (const DataError&) {
    return "";
  }
}

std::string describe_self(const std::string& attempt) {
  return kHost + host_name() + "\n" + kProcess + std::to_string(getpid()) + "\n" + kSince +
         utc_text(std::time(nullptr)) + "\n" + kAttempt + attempt + "\n";
}

/// Returns the number of TRAINING/NUMBER; 0 if there is none.
int number_of(const std::string& attempt) {
  const auto digits = attempt.substr(attempt.rfind('/') + 1);
  int number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

/// Whether both are attempts of one training, and `there` comes after `attempt`.
bool is_later(const std::string& there, const std::string& attempt) {
  const auto training = [](const std::string& name) { return name.substr(0, name.rfind('/')); };
  return !attempt.empty() && training(there) == training(attempt) &&
         number_of(there) > number_of(attempt);
}

/// Returns false if another process holds the lock.
bool try_lock(int descriptor, const fs::path& file) {
  if (uninterrupted([&] { return flock(descriptor, LOCK_EX | LOCK_NB); }) == 0) return true;
  if (errno == EWOULDBLOCK) return false;
  log::warning("The file system has no locks: a second process in the folder goes unnoticed",
               {{"file", file}, {"reason", reason_of(errno)}});
  return true;
}

bool lock_within(std::chrono::milliseconds patience, int descriptor, const fs::path& file) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kTryEvery{50};
  const auto end = Clock::now() + patience;
  while (!try_lock(descriptor, file)) {
    if (Clock::now() >= end) return false;
    std::this_thread::sleep_for(kTryEvery);
  }
  return true;
}

void write_text(int descriptor, const fs::path& file, const std::string& text) {
  // In place: a new file would have a lock of its own.
  const auto write_at = [&](std::size_t offset) {
    return uninterrupted([&] {
      return pwrite(descriptor, text.data() + offset, text.size() - offset,
                    static_cast<off_t>(offset));
    });
  };
  const auto write_all = [&] {
    std::size_t written = 0;
    while (written < text.size()) {
      const ssize_t count = write_at(written);
      if (count <= 0) return false;
      written += static_cast<std::size_t>(count);
    }
    return true;
  };
  const bool is_written = uninterrupted([&] { return ftruncate(descriptor, 0); }) == 0 &&
                          write_all() && uninterrupted([&] { return fsync(descriptor); }) == 0;
  if (is_written) return;
  log::warning("Cannot write which process uses the folder",
               {{"file", file}, {"reason", reason_of(errno)}});
}

}  // namespace

FolderLock::FolderLock(const fs::path& file, const std::string& attempt,
                       std::chrono::milliseconds patience, const std::string& option)
    : descriptor_(
          uninterrupted([&] { return ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644); })) {
  if (descriptor_.get() < 0) {
    throw ConfigError("cannot write the lock of the folder: " + file.string() + ": " +
                      reason_of(errno));
  }
  const bool is_locked = lock_within(patience, descriptor_.get(), file);
  const std::string there = text_of(file);
  if (is_later(field(there, kAttempt), attempt)) {
    throw PeerLost("a later attempt has taken the folder over: " + file.parent_path().string() +
                   ": " + field(there, kAttempt) + ", and this is " + attempt);
  }
  if (!is_locked) {
    const std::string what = "the folder is in use: " + file.parent_path().string() +
                             ": by process " + field(there, kProcess) + " on " +
                             field(there, kHost) + " since " + field(there, kSince);
    if (!attempt.empty()) throw PeerLost(what);
    throw ConfigError(what + "; end it or choose another folder with " + option);
  }
  write_text(descriptor_.get(), file, describe_self(attempt));
}

void require_attempt(const fs::path& file, const std::string& attempt) {
  if (attempt.empty() || is_missing(file)) return;
  // A process that could not write the line, as on a full disk, has taken nothing over.
  const auto there = line_of(read_file(file), kAttempt);
  if (!there || *there == attempt) return;
  throw PeerLost("another training has taken the folder over: " + file.parent_path().string() +
                 ": " + (there->empty() ? "one started by hand" : *there) + ", and this is " +
                 attempt);
}

}  // namespace ganscale::files
