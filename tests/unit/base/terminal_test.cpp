#include "base/terminal.h"

#include <gtest/gtest.h>

namespace ganscale::terminal {
namespace {

TEST(TakesColor, OnATerminalUnlessDisabled) {
  EXPECT_TRUE(takes_color(true, nullptr, "xterm-256color"));
  EXPECT_TRUE(takes_color(true, "", "xterm"));  // an empty NO_COLOR is none
  EXPECT_FALSE(takes_color(false, nullptr, "xterm"));
  EXPECT_FALSE(takes_color(true, "1", "xterm"));
  EXPECT_FALSE(takes_color(true, nullptr, "dumb"));
  EXPECT_FALSE(takes_color(true, nullptr, nullptr));
}

TEST(Highlighted, ColorsErrorsAndWarnings) {
  EXPECT_EQ(highlighted("ganscale: error: No file"), "\033[1;31mganscale: error:\033[0m No file");
  EXPECT_EQ(highlighted("ganscale: warning: Slow"), "\033[1;33mganscale: warning:\033[0m Slow");
  EXPECT_EQ(highlighted("An error: none"), "An error: none");
}

TEST(Highlighted, ColorsTheTimeLeft) {
  EXPECT_EQ(highlighted("tick 1  s/kimg 4.75  left 2h 10m"),
            "tick 1  s/kimg 4.75  left \033[36m2h 10m\033[0m");
  EXPECT_EQ(highlighted("Progress  done=3  left=42s"), "Progress  done=3  left=\033[36m42s\033[0m");
  EXPECT_EQ(highlighted("tick 1  left ?"), "tick 1  left ?");
  EXPECT_EQ(highlighted("  left 3s of it"), "  left 3s of it");
}

TEST(Printable, EscapesControlCharacters) {
  EXPECT_EQ(printable("a\x1b[2Jb\rc\x7f"), "a\\x1b[2Jb\\x0dc\\x7f");
  EXPECT_EQ(printable("häh\xc2\xa0\n"), "häh\xc2\xa0\\x0a");
  EXPECT_EQ(printable("a\n\tb\r", "\n\t"), "a\n\tb\\x0d");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\xc2\\x9b"
            "31m");  // CSI in one character
  EXPECT_EQ(printable("\xc2"), "\xc2");
}

TEST(PrintLine, IsPlainWhenPiped) {
  testing::internal::CaptureStderr();
  print_line("ganscale: error: No file");
  draw_bar("[==>  ]");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "ganscale: error: No file\n");
  EXPECT_LT(silent_seconds(), 60);
}

}  // namespace
}  // namespace ganscale::terminal
