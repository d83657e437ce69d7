#include "cli/serve/parse_query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ganscale::cli {
namespace {

TEST(ParseQuery, DecodesNamesAndValues) {
  EXPECT_EQ(parse_query("seed=1&a%20b=%ff"), (Query{{"seed", "1"}, {"a b", "\xff"}}));
  EXPECT_EQ(parse_query(""), Query{});
}

TEST(ParseQuery, RefusesEscapesThatAreNone) {
  for (const char* text : {"seed=%3", "seed=%zz", "%=1"})
    EXPECT_THROW(parse_query(text), std::exception) << text;
}

TEST(ParseQuery, RefusesTheCharacterThatWouldEndAMessage) {
  for (const char* text : {"%00seed=1", "seed=1%00"})
    EXPECT_THROW(parse_query(text), std::invalid_argument) << text;
}

}  // namespace
}  // namespace ganscale::cli
