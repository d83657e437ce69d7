#include "cost/roofline.h"

#include <vector>

#include "support/expect_error.h"

namespace ganscale::cost {
namespace {

constexpr Device kDevice = {.name = "test",
                            .low_precision_flops = 1000e6,
                            .tf32_flops = 400e6,
                            .float32_flops = 40e6,
                            .float64_flops = 20e6,
                            .memory_bytes = 4e6,
                            .reached = {.seconds_of_kernel = 2.5e-6}};
constexpr Execution kGraph = {.in_graph = true};

using Operations = std::vector<Operation>;

double seconds_of_convolution(Number number, bool tf32) {
  const Operations one = {
      {.kind = Kind::kConvolution, .number = number, .flops = 130e6, .launches = 0}};
  return time_of(one, kDevice, {.tf32 = tf32}).convolutions;
}

TEST(Roofline, ComputesAtAShareOfThePeakOfTheType) {
  EXPECT_DOUBLE_EQ(seconds_of_convolution(Number::kLowPrecision, true), 0.2);  // 65%
  EXPECT_DOUBLE_EQ(seconds_of_convolution(Number::kFloat32, true), 0.65);      // 50%
  EXPECT_DOUBLE_EQ(seconds_of_convolution(Number::kFloat32, false), 6.5);
  EXPECT_DOUBLE_EQ(seconds_of_convolution(Number::kFloat64, true), 13);
}

TEST(Roofline, ReadsAndWritesAtThreeQuartersOfTheBandwidth) {
  const Operations one = {{.kind = Kind::kMemory, .bytes = 6e6}};
  EXPECT_DOUBLE_EQ(time_of(one, kDevice, kGraph).memory, 2);
}

TEST(Roofline, TimesAProductByItsComputationOrItsMemoryWhicheverIsSlower) {
  Operation one{.kind = Kind::kMatrixProduct,
                .number = Number::kLowPrecision,
                .flops = 65e6,  // 0.1 s
                .launches = 0};
  for (const auto& [bytes, seconds] : {std::pair{3e5, 0.1}, {6e5, 0.2}}) {
    one.bytes = bytes;
    one.kind = Kind::kMatrixProduct;
    EXPECT_DOUBLE_EQ(time_of(Operations{one}, kDevice, kGraph).matrix_products, seconds);
    one.kind = Kind::kWeightGradient;
    EXPECT_DOUBLE_EQ(time_of(Operations{one}, kDevice, kGraph).convolutions, seconds);
    EXPECT_DOUBLE_EQ(time_of(Operations{one}, kDevice, kGraph).total(), seconds);
  }
}

TEST(Roofline, CountsTheBeginningAndEndOfEachKernel) {
  const Operations work = {{.bytes = 3e6}, {.bytes = 3e6, .launches = 3}};
  const Time time = time_of(work, kDevice, kGraph);
  EXPECT_DOUBLE_EQ(time.kernels, 4 * 2.5e-6);
  EXPECT_DOUBLE_EQ(time.total(), 2 + 4 * 2.5e-6);
}

TEST(Roofline, InAGraphWaitsForNoHost) {
  const Operations work = {{.bytes = 3}, {.bytes = 3}};
  EXPECT_EQ(time_of(work, kDevice, kGraph).launches, 0);
}

TEST(Roofline, OutsideAGraphWaitsForTheHostIfTheDeviceIsFaster) {
  // The host takes 18 us, the device 7 + 7.5.
  Operations work = {{.bytes = 3}, {.bytes = 3}, {.bytes = 15}};
  const Time time = time_of(work, kDevice, {});
  EXPECT_NEAR(time.memory, 7e-6, 1e-12);
  EXPECT_NEAR(time.kernels, 7.5e-6, 1e-12);
  EXPECT_NEAR(time.launches, 3.5e-6, 1e-12);
  work.push_back({.bytes = 30});
  EXPECT_EQ(time_of(work, kDevice, {}).launches, 0);
}

TEST(Roofline, AfterAReadWaitsForEachLaunch) {
  // The first runs for 5 + 2.5 us, while the host starts the second. For the third the device waits:
  // the host is done with it after 18 us, the device with the second after 6 + 7.5 + 3.5.
  Operations work = {
      {.kind = Kind::kHostRead, .launches = 0}, {.bytes = 15}, {.bytes = 3}, {.bytes = 3}};
  EXPECT_NEAR(time_of(work, kDevice, {}).launches, 6e-6 + 1e-6, 1e-12);
  work.erase(work.begin());
  EXPECT_NEAR(time_of(work, kDevice, {}).launches, 3.5e-6, 1e-12);
}

TEST(Roofline, AReadEndsTheLeadOfTheHost) {
  Operations work = {{.bytes = 300}, {.kind = Kind::kHostRead, .launches = 0}, {.bytes = 300}};
  EXPECT_NEAR(time_of(work, kDevice, {}).launches, 6e-6, 1e-12);
  work.erase(work.begin() + 1);
  EXPECT_EQ(time_of(work, kDevice, {}).launches, 0);
}

TEST(Roofline, HidesAllReduces) {
  const Operations one = {{.kind = Kind::kAllReduce, .bytes = 1e12, .launches = 0}};
  EXPECT_EQ(time_of(one, kDevice, kGraph).total(), 0);
}

TEST(DeviceTable, HasTheBandwidthsAndPeaksOfItsCards) {
  EXPECT_EQ(device_of_name("H200").low_precision_flops, 790e12);
  EXPECT_EQ(device_of_name("H200").memory_bytes, 4.8e12);
  EXPECT_EQ(device_of_name("A100").low_precision_flops, 312e12);
  EXPECT_EQ(device_of_name("A100").memory_bytes, 2.0e12);
  for (const char* name : {"A100", "H100", "H200"}) {
    const Device device = device_of_name(name);
    EXPECT_EQ(device.tf32_flops * 2, device.low_precision_flops) << name;
  }
}

TEST(DeviceTable, NamesItsCardsIfAskedForAnother) {
  expect_error(ExitCode::kUsage,
               "no such device: B200 (known: V100, A100, H100, H200, TPU-v3, "
               "CPU-core)",
               [] { device_of_name("B200"); });
}

}  // namespace
}  // namespace ganscale::cost
