#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/operator/verbs/run_operator.h"

namespace ganscale::controller {
namespace {

using testing::HasSubstr;

TEST(Run, RefusesInvalidNamespaces) {
  for (const char* names : {"Team", "team,-x", "a/b", "''"}) {
    const ProgramResult refused = run_operator(std::string("run --watch-namespaces=") + names);
    EXPECT_EQ(refused.exit_code, 64) << names;
    EXPECT_THAT(refused.output, HasSubstr("--watch-namespaces")) << names;
  }
}

}  // namespace
}  // namespace ganscale::controller
