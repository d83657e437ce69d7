#include "report/log/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <limits>
#include <mutex>

#include "base/log.h"
#include "base/terminal.h"
#include "base/thread_rank.h"
#include "report/log/tick_line.h"

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
  const auto percent = fmt::format(" {:3}%  ", static_cast<int>(fraction * 100));
  const auto numbers = percent + with_commas(advance.done) + "/" + with_commas(advance.total) +
                       " " + unit + "  " + format_short(rate(advance)) + "/s  left " +
                       format_duration(seconds_left(advance));
  // A line that reaches the last column would wrap on some terminals.
  const int room = width - 1 - static_cast<int>(numbers.size()) - 2;
  if (room < 10) return numbers.substr(0, static_cast<std::size_t>(std::max(0, width - 1)));
  return bar(fraction, std::min(room, 40)) + numbers;
}

ProgressBar::ProgressBar(std::string unit, std::int64_t total, std::int64_t done_at_start,
                         std::chrono::milliseconds longest_silence)
    : unit_(std::move(unit)), total_(total), done_at_start_(done_at_start), done_(done_at_start) {
  const bool is_of_another_rank = thread_rank().value_or(0) != 0;
  if (terminal::is_open() || is_of_another_rank) return;
  log_thread_ = std::jthread([this, longest_silence](const std::stop_token& stop) {
    break_silence(longest_silence, stop);
  });
}

ProgressBar::~ProgressBar() { terminal::draw_bar(""); }

Advance ProgressBar::advance() const {
  return {.done = done_,
          .total = total_,
          .done_at_start = done_at_start_,
          .seconds = std::chrono::duration<double>(Clock::now() - start_).count()};
}

void ProgressBar::update(std::int64_t done) {
  done_ = done;
  if (!terminal::is_open()) return;
  const auto now = Clock::now();
  if (now - drawn_ < 100ms) return;
  drawn_ = now;
  terminal::draw_bar(progress_line(advance(), unit_, terminal::columns()));
}

/// Logs the progress whenever nothing was printed for longest_silence.
void ProgressBar::break_silence(std::chrono::milliseconds longest_silence,
                                const std::stop_token& stop) const {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  const std::chrono::duration<double> silence = longest_silence;
  while (!stop.stop_requested()) {
    stopped.wait_for(lock, stop, longest_silence / 10, [] { return false; });
    if (stop.stop_requested() || terminal::silent_seconds() < silence.count()) continue;
    const Advance now = advance();
    log::info("Progress", {{"of", unit_},
                           {"done", now.done},
                           {"total", now.total},
                           {"left", format_duration(seconds_left(now))}});
  }
}

}  // namespace ganscale::report
