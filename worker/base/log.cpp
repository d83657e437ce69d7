#include "base/log.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <sstream>

namespace ganscale::log {
namespace {

struct State {
  std::mutex mutex;
  Format format = Format::kText;
  int rank = 0;
  std::ofstream file;
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
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char text[40];
  const auto length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
  std::snprintf(text + length, sizeof text - length, ".%03dZ", static_cast<int>(millis));
  return text;
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

/// Returns the text with control characters escaped as in C, so that a name in it cannot move the
/// cursor of a terminal. Lines and tabs stay.
std::string without_controls(std::string_view text) {
  std::string result;
  for (const char character : text) {
    const auto code = static_cast<unsigned char>(character);
    const bool controls = (code < 0x20 && code != '\n' && code != '\t') || code == 0x7f;
    if (!controls) {
      result += character;
      continue;
    }
    char escaped[5];
    std::snprintf(escaped, sizeof escaped, "\\x%02x", code);
    result += escaped;
  }
  return result;
}

std::string as_text(Level level, int rank, std::string_view message, const Pairs& pairs) {
  std::ostringstream line;
  if (level != Level::kInfo) line << "ganscale: " << name(level) << ": ";
  if (rank != 0) line << "[rank " << rank << "] ";
  line << message;
  for (const auto& [key, value] : pairs) {
    line << "  " << key << '=';
    std::visit([&](const auto& v) { line << v; }, value.get());
  }
  return without_controls(line.str());
}

void write(Level level, std::string_view message, const Pairs& pairs) {
  State& s = state();
  const std::scoped_lock lock(s.mutex);
  if (s.file.is_open()) s.file << as_json(level, s.rank, message, pairs) << '\n' << std::flush;
  if (level == Level::kInfo && s.rank != 0) return;
  const auto line = s.format == Format::kJson ? as_json(level, s.rank, message, pairs)
                                              : as_text(level, s.rank, message, pairs);
  // Erase the progress bar that may be on the terminal's last line.
  static const bool on_terminal = isatty(STDERR_FILENO) != 0;
  // One write per line, so that lines of different ranks do not interleave.
  std::fputs(((on_terminal ? "\r\033[K" : "") + line + '\n').c_str(), stderr);
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
  State& s = state();
  const std::scoped_lock lock(s.mutex);
  s.file = file.empty() ? std::ofstream() : std::ofstream(file, std::ios::app);
}

void info(std::string_view message, Pairs pairs) { write(Level::kInfo, message, pairs); }
void warning(std::string_view message, Pairs pairs) { write(Level::kWarning, message, pairs); }
void error(std::string_view message, Pairs pairs) { write(Level::kError, message, pairs); }

}  // namespace ganscale::log
