#include "base/nearest.h"

#include <gtest/gtest.h>

namespace ganscale {
namespace {

TEST(Nearest, FindsWhatASlipOfTheKeyboardMeant) {
  const std::vector<std::string> known = {"run", "config", "training", "set"};
  EXPECT_EQ(nearest("confg", known), "config");
  EXPECT_EQ(nearest("rnu", known), "run");
  EXPECT_EQ(nearest("trianign", known), "training");
  EXPECT_EQ(nearest("runs", known), "run");
}

TEST(Nearest, TakesNoOtherShortWordForASlip) {
  const std::vector<std::string> known = {"run", "config", "data", "set", "help"};
  for (const char* name : {"aug", "seed", "batch", "gamma", "gpus", "snap", "out", ""})
    EXPECT_EQ(nearest(name, known), std::nullopt) << name;
  EXPECT_EQ(nearest("run", {}), std::nullopt);
}

TEST(Nearest, FindsTheOnlyNameWithTheSameStart) {
  const std::vector<std::string> known = {"resume-weights", "print-config", "print-layout", "data"};
  EXPECT_EQ(nearest("resume", known), "resume-weights");
  EXPECT_EQ(nearest("dataset", known), "data");
  EXPECT_EQ(nearest("print", known), std::nullopt);
  EXPECT_EQ(nearest("re", known), std::nullopt);
}

}  // namespace
}  // namespace ganscale
