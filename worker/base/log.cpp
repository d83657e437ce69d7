#include "base/log.h"

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/terminal.h"
#include "base/thread_rank.h"
#include "base/utc_text.h"

namespace ganscale::log {
namespace {

struct State {
  std::mutex mutex;
  Format format = Format::kText;
  int rank = 0;
  std::ofstream file;
  bool is_file_lost = false;  // so that this is said once
};

State& state() {
  static State instance;
  return instance;
}

std::string_view name(Level level) {
  switch (level) {
    case Level::kInfo: return "info";
    case Level::kWarning: return "warning";
    case Level::kError: return "error";
  }
  return "error";
}

std::string timestamp() {
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  const auto millis =
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  return utc_text(seconds, "%Y-%m-%dT%H:%M:%S") + fmt::format(".{:03}Z", millis);
}

std::string as_json(Level level, int rank, std::string_view message, const Pairs& pairs) {
  nlohmann::ordered_json line{
      {"time", timestamp()}, {"level", name(level)}, {"rank", rank}, {"message", message}};
  for (const auto& [key, value] : pairs) {
    std::visit([&, k = std::string(key)](const auto& v) { line[k] = v; }, value.get());
  }
  // File names need not be UTF-8, and logging must not throw.
  return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string text_of(const std::string& text) { return terminal::printable(text); }
template <class Value>
Value text_of(Value value) {
  return value;
}

std::string as_text(Level level, int rank, std::string_view message, const Pairs& pairs) {
  std::ostringstream line;
  if (level != Level::kInfo) line << "ganscale: " << name(level) << ": ";
  if (rank != 0) line << "[rank " << rank << "] ";
  line << terminal::printable(message, "\n\t");
  for (const auto& [key, value] : pairs) {
    line << "  " << key << '=';
    std::visit([&](const auto& v) { line << text_of(v); }, value.get());
  }
  return line.str();
}

std::string shown(const State& s, Level level, int rank, std::string_view message,
                  const Pairs& pairs) {
  return s.format == Format::kJson ? as_json(level, rank, message, pairs)
                                   : as_text(level, rank, message, pairs);
}

/// Cuts off what a killed process left of a line.
void drop_incomplete_line(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  const std::streamoff size = in ? static_cast<std::streamoff>(in.tellg()) : 0;
  std::streamoff end = size;
  while (end > 0 && in.seekg(end - 1) && in.get() != '\n') --end;
  std::error_code ignored;         // the line stays
  if (!in || end == size) return;  // what can't be read is not known to be incomplete
  std::filesystem::resize_file(file, static_cast<std::uintmax_t>(end), ignored);
}

/// Appends a line to the log file. What a full disk did not take is written with a later line.
void append(State& s, const std::string& line) {
  s.file.clear();
  errno = 0;
  s.file << line << '\n' << std::flush;
  const bool was_lost = std::exchange(s.is_file_lost, !s.file);
  if (!s.is_file_lost || was_lost) return;
  terminal::print_line(shown(s, Level::kWarning, s.rank, "Cannot write the log file",
                             {{"reason", std::generic_category().message(errno)}}));
}

void write(Level level, std::string_view message, const Pairs& pairs) {
  State& s = state();
  const std::scoped_lock lock(s.mutex);
  const int rank = thread_rank().value_or(s.rank);
  if (s.file.is_open()) append(s, as_json(level, rank, message, pairs));
  if (level == Level::kInfo && rank != 0) return;
  terminal::print_line(shown(s, level, rank, message, pairs));
}

}  // namespace

void set_format(Format format) {
  State& s = state();
  const std::scoped_lock lock(s.mutex);
  s.format = format;
}

void set_rank(int rank) {
  State& s = state();
  const std::scoped_lock lock(s.mutex);
  s.rank = rank;
}

void set_file(const std::filesystem::path& file) {
  int reason = 0;
  drop_incomplete_line(file);
  {
    State& s = state();
    const std::scoped_lock lock(s.mutex);
    s.file = file.empty() ? std::ofstream() : std::ofstream(file, std::ios::app);
    s.is_file_lost = false;
    if (!s.file) reason = errno;
  }
  if (reason == 0) return;
  warning("Cannot open the log file",
          {{"file", file}, {"reason", std::generic_category().message(reason)}});
}

void info(std::string_view message, Pairs pairs) { write(Level::kInfo, message, pairs); }
void warning(std::string_view message, Pairs pairs) { write(Level::kWarning, message, pairs); }
void error(std::string_view message, Pairs pairs) { write(Level::kError, message, pairs); }

}  // namespace ganscale::log
