#include "report/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "report/tick_line.h"

namespace ganscale::report {
namespace {

using namespace std::chrono_literals;

std::string with_commas(std::int64_t number) {
  auto text = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3) {
    text.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return text;
}

std::string bar(double fraction, int width) {
  const int filled = static_cast<int>(fraction * width);
  std::string text(static_cast<std::size_t>(width), ' ');
  std::fill_n(text.begin(), filled, '=');
  if (filled < width) text[static_cast<std::size_t>(filled)] = '>';
  return "[" + text + "]";
}

double rate(const Advance& advance) {
  const auto done = static_cast<double>(advance.done - advance.done_at_start);
  return advance.seconds > 0 ? done / advance.seconds : 0;
}

int terminal_width() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

double seconds_left(const Advance& advance) {
  if (advance.done >= advance.total) return 0;
  const double per_second = rate(advance);
  if (per_second <= 0) return std::numeric_limits<double>::infinity();
  return static_cast<double>(advance.total - advance.done) / per_second;
}

std::string progress_line(const Advance& advance, const std::string& unit, int width) {
  const double fraction =
      advance.total > 0
          ? std::clamp(static_cast<double>(advance.done) / static_cast<double>(advance.total), 0.0,
                       1.0)
          : 1.0;
  char percent[16];
  std::snprintf(percent, sizeof percent, " %3d%%  ", static_cast<int>(fraction * 100));
  const auto numbers = percent + with_commas(advance.done) + "/" + with_commas(advance.total) +
                       " " + unit + "  " + format_short(rate(advance)) + "/s  left " +
                       format_duration(seconds_left(advance));
  // A line that reaches the last column would wrap on some terminals.
  const int room = width - 1 - static_cast<int>(numbers.size()) - 2;
  if (room < 10) return numbers.substr(0, static_cast<std::size_t>(std::max(0, width - 1)));
  return bar(fraction, std::min(room, 40)) + numbers;
}

ProgressBar::ProgressBar(std::string unit, std::int64_t total, std::int64_t done_at_start)
    : unit_(std::move(unit)),
      advance_{.done = done_at_start, .total = total, .done_at_start = done_at_start},
      on_terminal_(isatty(STDERR_FILENO) != 0) {}

ProgressBar::~ProgressBar() {
  if (on_terminal_) std::fputs("\r\033[K", stderr);
}

void ProgressBar::update(std::int64_t done) {
  if (!on_terminal_) return;
  const auto now = Clock::now();
  if (now - drawn_ < 100ms) return;
  drawn_ = now;
  advance_.done = done;
  advance_.seconds = std::chrono::duration<double>(now - start_).count();
  std::fputs(("\r\033[K" + progress_line(advance_, unit_, terminal_width())).c_str(), stderr);
}

}  // namespace ganscale::report
