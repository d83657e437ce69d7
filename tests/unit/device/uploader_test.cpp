#include "device/uploader.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "device/gpu.h"

namespace ganscale::device {
namespace {

TEST(Uploader, HandsTensorsOfTheCpuThrough) {
  Uploader uploader(c10::kCPU);
  const auto host = uploader.make_buffer({2, 3}, at::kByte).fill_(7);
  auto upload = uploader.start(host);
  EXPECT_TRUE(upload.done());
  EXPECT_TRUE(upload.take().is_same(host));
}

TEST(DeviceMemory, IsNothingOnTheCpu) {
  const auto memory = device_memory(c10::kCPU);
  EXPECT_EQ(memory.allocated_bytes, 0);
  EXPECT_EQ(memory.total_bytes, 0);
  EXPECT_EQ(device_name(c10::kCPU), "CPU");
}

}  // namespace
}  // namespace ganscale::device
