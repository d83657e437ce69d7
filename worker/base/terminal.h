#pragma once

#include <string>
#include <string_view>

/// Standard error as people read it. All code for a terminal's escape sequences is here.
namespace ganscale::terminal {

/// Environment variable of a process whose standard error another one prints on a terminal, as
/// `ganscale launch` does: how many columns that has.
inline constexpr const char* kColumnsVariable = "GANSCALE_TERMINAL_COLUMNS";

/// Returns whether standard error is a terminal, or is printed on one.
bool is_open();

/// Returns the number of columns of that terminal; 80 if unknown.
int columns();

/// Returns whether its lines may be colored: on a terminal that understands colors (`term`, the
/// environment's TERM), unless NO_COLOR is set to anything (no-color.org). Null: not set.
bool takes_color(bool on_terminal, const char* no_color, const char* term);

/// Returns a line with "error:" of its prefix in red, "warning:" in yellow and the time after "left"
/// at its end in cyan.
std::string highlighted(const std::string& line);

/// Returns the text with control characters escaped as in C, so that a name in it cannot move the
/// cursor of a terminal.
///
/// kept: control characters that stay, such as "\n".
std::string printable(std::string_view text, std::string_view kept = "");

/// Prints a line at once, so that lines of several ranks do not interleave; on a terminal in color,
/// in place of the bar.
void print_line(const std::string& line);

/// Draws a bar in place of the last one, on the terminal's last line. An empty one erases it.
void draw_bar(const std::string& bar);

/// Returns the seconds since this process printed a line, or since it asked first.
double silent_seconds();

}  // namespace ganscale::terminal
