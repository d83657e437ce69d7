#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.h"

namespace ganscale {

/// Expects that `action` throws an Error with this code whose message has `text` in it.
template <class Action>
void expect_error(ExitCode code, const std::string& text, Action action) {
  try {
    action();
    ADD_FAILURE() << "expected an error with: " << text;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_THAT(error.what(), testing::HasSubstr(text));
  }
}

}  // namespace ganscale
