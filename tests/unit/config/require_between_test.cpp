#include "config/require_between.h"

#include "support/expect_error.h"

namespace ganscale::config {
namespace {

TEST(RequireBetween, TakesBothBounds) {
  const Section in(parse_yaml("width: 3", "run.yaml"));
  EXPECT_NO_THROW(require_between(in, "width", 1, 1, 8));
  EXPECT_NO_THROW(require_between(in, "width", 8, 1, 8));
}

TEST(RequireBetween, NamesFileLineKeyBoundsAndNumber) {
  const Section in(parse_yaml("name: r3gan\nwidth: 9", "run.yaml"));
  expect_error(ExitCode::kConfig, "run.yaml:2: width: must be 1 to 8: 9",
               [&] { require_between(in, "width", 9, 1, 8); });
  expect_error(ExitCode::kConfig, "run.yaml:2: width: must be 1 to 8: 0",
               [&] { require_between(in, "width", 0, 1, 8); });
}

}  // namespace
}  // namespace ganscale::config
