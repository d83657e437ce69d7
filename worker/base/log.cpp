#include "base/log.h"

#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <sstream>

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

void write(Level level, std::string_view message, const Pairs& pairs) {
  State& s = state();
  const std::scoped_lock lock(s.mutex);
  const int rank = thread_rank().value_or(s.rank);
  if (s.file.is_open()) s.file << as_json(level, rank, message, pairs) << '\n' << std::flush;
  if (level == Level::kInfo && rank != 0) return;
  const auto line = s.format == Format::kJson ? as_json(level, rank, message, pairs)
                                              : as_text(level, rank, message, pairs);
  terminal::print_line(line);
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
