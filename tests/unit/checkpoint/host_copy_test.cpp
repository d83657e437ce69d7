#include "checkpoint/host_copy.h"

#include <ATen/ops/arange.h>
#include <gtest/gtest.h>

#include <string>

#include "make_snapshot.h"

namespace ganscale::checkpoint {
namespace {

TEST(HostCopy, IsNotTouchedByLaterTraining) {
  auto snapshot = make_snapshot(64, 1.0);
  HostCopy copy;
  copy.take(snapshot);
  snapshot.files["generator"]["weight"].fill_(2.0);
  expect_equal(copy.get(), make_snapshot(64, 1.0));
}

TEST(HostCopy, UsesItsBuffersAgain) {
  HostCopy copy;
  copy.take(make_snapshot(64, 1.0));
  const auto* before = copy.get().files.at("generator").at("weight").const_data_ptr();
  copy.take(make_snapshot(128, 2.0));
  EXPECT_EQ(copy.get().files.at("generator").at("weight").const_data_ptr(), before);
  expect_equal(copy.get(), make_snapshot(128, 2.0));
}

TEST(HostCopy, FollowsNewShapesAndMissingNames) {
  HostCopy copy;
  copy.take(make_snapshot(64, 1.0, /*extent=*/3));
  auto next = make_snapshot(128, 2.0, /*extent=*/5);
  next.files.erase("discriminator");
  next.files["generator"].erase("bias");
  copy.take(next);
  expect_equal(copy.get(), next);
}

TEST(HostCopy, IsExactForAnyNumberOfBytesAtAnyAddress) {
  const auto bytes = at::arange(100, at::kByte);
  Snapshot snapshot;
  for (int begin = 0; begin < 20; ++begin) {
    for (int end = begin; end < 60; ++end) {
      const auto name = std::to_string(begin) + "-" + std::to_string(end);
      snapshot.files["bytes"][name] = bytes.slice(0, begin, end);
    }
  }
  HostCopy copy;
  copy.take(snapshot);
  expect_equal(copy.get(), snapshot);
}

TEST(HostCopy, OfATransposedParameterIsContiguousAndDetached) {
  Snapshot snapshot;
  snapshot.files["generator"]["weight"] = at::full({2, 3}, 1.0).t().set_requires_grad(true);
  HostCopy copy;
  copy.take(snapshot);
  const auto& buffer = copy.get().files.at("generator").at("weight");
  EXPECT_TRUE(buffer.is_contiguous());
  EXPECT_FALSE(buffer.requires_grad());
  EXPECT_TRUE(buffer.equal(at::full({3, 2}, 1.0)));
}

}  // namespace
}  // namespace ganscale::checkpoint
