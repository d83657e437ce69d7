#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/operator/verbs/run_operator.h"

namespace ganscale::controller {
namespace {

using testing::HasSubstr;

TEST(Run, RefusesInvalidNames) {
  for (const char* option : {"--watch-namespaces", "--lease-name", "--namespace"}) {
    for (const char* names : {"Team", "team,-x", "a/b", "''"}) {
      const ProgramResult refused = run_operator(std::string("run ") + option + "=" + names);
      EXPECT_EQ(refused.exit_code, 64) << option << names;
      EXPECT_THAT(refused.output, HasSubstr(option)) << names;
    }
  }
}

}  // namespace
}  // namespace ganscale::controller
