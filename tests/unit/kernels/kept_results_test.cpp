#include "kernels/launch/kept_results.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "support/expect_error.h"

namespace ganscale::kernels {
namespace {

/// Keeps doubled numbers, and counts how often they are computed.
class Kept : public testing::Test {
 protected:
  at::Tensor doubled(const at::Tensor& source, std::int64_t form = 0) {
    const std::vector<at::Tensor> sources = {source};
    return kept_
        .results({.sources = sources,
                  .form = {form},
                  .allocate = [&] { return std::vector<at::Tensor>{at::empty_like(source)}; },
                  .fill =
                      [&](const std::vector<at::Tensor>& out) {
                        ++computed_;
                        at::mul_out(const_cast<at::Tensor&>(out[0]), source, 2);
                      }})
        .front();
  }

  KeptResults kept_;
  int computed_ = 0;
};

TEST_F(Kept, AreComputedOnce) {
  const at::Tensor source = at::ones({3});
  EXPECT_TRUE(doubled(source).equal(at::full({3}, 2)));
  EXPECT_TRUE(doubled(source).equal(at::full({3}, 2)));
  EXPECT_EQ(computed_, 1);
}

TEST_F(Kept, FollowAChangeOfTheirSourceInTheSameMemory) {
  const at::Tensor source = at::ones({3});
  const at::Tensor first = doubled(source);
  source.fill_(4);
  EXPECT_TRUE(doubled(source).equal(at::full({3}, 8)));
  EXPECT_TRUE(doubled(source).is_alias_of(first));
  EXPECT_EQ(computed_, 2);
}

TEST_F(Kept, SeeAChangeByAViewOfTheirSource) {
  const at::Tensor source = at::ones({3});
  doubled(source);
  source.detach().narrow(0, 1, 1).fill_(5);
  EXPECT_EQ(doubled(source)[1].item<float>(), 10);
}

TEST_F(Kept, FollowASourceToOtherMemory) {
  const at::Tensor source = at::ones({3});
  const at::Tensor first = doubled(source);
  source.set_data(at::full({3}, 7));
  const at::Tensor second = doubled(source);
  EXPECT_TRUE(second.equal(at::full({3}, 14)));
  EXPECT_FALSE(second.is_alias_of(first));
}

// The allocator may give it the same address, and it is as little changed.
TEST_F(Kept, AreNotReusedForANewSourceAtTheSameAddress) {
  for (const double number : {1.0, 2.0, 3.0}) {
    EXPECT_TRUE(doubled(at::full({3}, number)).equal(at::full({3}, 2 * number)));
  }
}

TEST_F(Kept, DifferForEachForm) {
  const at::Tensor source = at::ones({3});
  doubled(source, 1);
  doubled(source, 2);
  EXPECT_EQ(computed_, 2);
}

TEST_F(Kept, StopABackwardPassThatNeedsOldOnes) {
  const at::Tensor source = at::ones({3});
  const at::Tensor x = at::ones({3}).requires_grad_();
  const at::Tensor y = (x * doubled(source)).sum();
  source.fill_(4);
  doubled(source);
  EXPECT_THROW(y.backward(), c10::Error);
}

}  // namespace
}  // namespace ganscale::kernels
