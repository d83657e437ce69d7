#include <ATen/Context.h>
#include <ATen/ops/full.h>
#include <gtest/gtest.h>

#include "checkpoint/host_copy.h"

namespace ganscale::checkpoint {
namespace {

TEST(HostCopyGpu, OfAGpuTensorLiesInPinnedMemoryThatIsUsedAgain) {
  if (!at::hasCUDA()) GTEST_SKIP() << "there is no GPU";
  Snapshot snapshot;
  const auto weight = at::full({1000, 1000}, 1.0, at::TensorOptions().device(at::kCUDA));
  snapshot.files["generator"]["weight"] = weight;
  HostCopy copy;
  copy.take(snapshot);
  const auto& buffer = copy.get().files.at("generator").at("weight");
  const auto* address = buffer.const_data_ptr();
  EXPECT_TRUE(buffer.is_cpu());
  EXPECT_TRUE(buffer.is_pinned());
  EXPECT_TRUE(buffer.equal(at::full({1000, 1000}, 1.0)));

  weight.fill_(2.0);
  EXPECT_TRUE(buffer.equal(at::full({1000, 1000}, 1.0))) << "the copy had not ended";
  copy.take(snapshot);
  EXPECT_EQ(copy.get().files.at("generator").at("weight").const_data_ptr(), address);
  EXPECT_TRUE(copy.get().files.at("generator").at("weight").equal(at::full({1000, 1000}, 2.0)));
}

}  // namespace
}  // namespace ganscale::checkpoint
