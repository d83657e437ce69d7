#include "base/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <regex>

namespace ganscale::terminal {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kErase = "\r\033[K";
constexpr std::string_view kRed = "\033[1;31m";
constexpr std::string_view kYellow = "\033[1;33m";
constexpr std::string_view kCyan = "\033[36m";
constexpr std::string_view kPlain = "\033[0m";

std::string in_color(std::string_view color, std::string_view text) {
  return std::string(color).append(text).append(kPlain);
}

bool is_colored() {
  static const bool result = takes_color(is_open(), std::getenv("NO_COLOR"), std::getenv("TERM"));
  return result;
}

std::string for_terminal(const std::string& line) {
  return is_colored() ? highlighted(line) : line;
}

std::atomic<Clock::time_point>& last_line() {
  static std::atomic<Clock::time_point> time = Clock::now();
  return time;
}

}  // namespace

bool is_open() {
  static const bool result = isatty(STDERR_FILENO) != 0 || std::getenv(kColumnsVariable) != nullptr;
  return result;
}

int columns() {
  constexpr int kUsual = 80;
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const char* told = std::getenv(kColumnsVariable);
  const int count = told == nullptr ? 0 : std::atoi(told);
  return count > 0 ? count : kUsual;
}

bool takes_color(bool on_terminal, const char* no_color, const char* term) {
  const bool refused = no_color != nullptr && *no_color != '\0';
  return on_terminal && !refused && term != nullptr && std::string_view(term) != "dumb";
}

std::string highlighted(const std::string& line) {
  for (const auto& [word, color] : {std::pair("error:", kRed), std::pair("warning:", kYellow)}) {
    const std::string prefix = std::string("ganscale: ") + word;
    if (line.starts_with(prefix)) return in_color(color, prefix) + line.substr(prefix.size());
  }
  static const std::regex time_left("  left[ =]([0-9]+[smhd]( [0-9]+[smhd])?)$");
  std::smatch found;
  if (!std::regex_search(line, found, time_left)) return line;
  return line.substr(0, static_cast<std::size_t>(found.position(1))) +
         in_color(kCyan, found.str(1));
}

std::string printable(std::string_view text, std::string_view kept) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto code = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0;
    // U+0080 to U+009F are control characters, too: two bytes of UTF-8.
    const bool controls =
        code < 0x20 || code == 0x7f || (code == 0xc2 && next >= 0x80 && next < 0xa0);
    if (!controls || kept.find(text[i]) != std::string_view::npos) {
      result += text[i];
      continue;
    }
    result += fmt::format("\\x{:02x}", code);
    if (code != 0xc2) continue;
    result += fmt::format("\\x{:02x}", next);
    ++i;
  }
  return result;
}

void print_line(const std::string& line) {
  last_line() = Clock::now();
  const std::string_view erase = is_open() ? kErase : std::string_view();
  std::fputs((std::string(erase) + for_terminal(line) + '\n').c_str(), stderr);
}

void draw_bar(const std::string& bar) {
  if (is_open()) std::fputs((std::string(kErase) + for_terminal(bar)).c_str(), stderr);
}

double silent_seconds() {
  return std::chrono::duration<double>(Clock::now() - last_line().load()).count();
}

}  // namespace ganscale::terminal
