#include "device/exact_float32.h"

#include <ATen/Context.h>
#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

namespace ganscale::device {
namespace {

bool allows_tf32() {
  const auto& context = at::globalContext();
  return context.allowTF32CuBLAS() && context.allowTF32CuDNN();
}

class ExactFloat32Test : public testing::Test {
 protected:
  void SetUp() override { allow(true); }
  void TearDown() override { allow(false); }

 private:
  static void allow(bool tf32) {
    at::globalContext().setAllowTF32CuBLAS(tf32);
    at::globalContext().setAllowTF32CuDNN(tf32);
  }
};

TEST_F(ExactFloat32Test, LastsUntilTheLastOfOverlappingScopesEnds) {
  auto first = std::make_unique<ExactFloat32>();
  auto second = std::make_unique<ExactFloat32>();
  first.reset();
  EXPECT_FALSE(allows_tf32());
  second.reset();
  EXPECT_TRUE(allows_tf32());
}

TEST_F(ExactFloat32Test, MayBeUsedByManyThreads) {
  constexpr int kThreads = 8;
  constexpr int kScopes = 2000;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([] {
        for (int scope = 0; scope < kScopes; ++scope) const ExactFloat32 exact;
      });
    }
  }
  EXPECT_TRUE(allows_tf32());
}

}  // namespace
}  // namespace ganscale::device
