#include "object/characters.h"

#include <gtest/gtest.h>

namespace ganscale::controller {
namespace {

TEST(CharacterCount, CountsCharactersAndNotBytes) {
  EXPECT_EQ(character_count(""), 0U);
  EXPECT_EQ(character_count("abc"), 3U);
  EXPECT_EQ(character_count("Fréchet ☃"), 9U);
}

}  // namespace
}  // namespace ganscale::controller
