#include "wire/command.h"

#include <gtest/gtest.h>

namespace ganscale::wire {
namespace {

TEST(Command, ReadsWhatItWrites) {
  for (const Command command :
       {Command::kPause, Command::kResume, Command::kCheckpoint, Command::kStop}) {
    EXPECT_EQ(parse_command(to_json(command).dump()), command);
  }
  EXPECT_EQ(to_json(Command::kCheckpoint).dump(), R"({"command":"checkpoint"})");
}

TEST(Command, IgnoresOtherFields) {
  EXPECT_EQ(parse_command(R"({"command": "stop", "reason": "night"})"), Command::kStop);
}

TEST(Command, RefusesAnyOtherText) {
  for (const char* text :
       {"", "stop", "{}", "[]", R"("stop")", R"({"command": "Stop"})", R"({"command": 1})",
        R"({"command": "stop")", R"([{"command": "stop"}])"}) {
    EXPECT_FALSE(parse_command(text)) << text;
  }
}

}  // namespace
}  // namespace ganscale::wire
