#include "cost/operation.h"

#include <gtest/gtest.h>

#include <vector>

namespace ganscale::cost {
namespace {

TEST(Work, SumsEachKindApart) {
  const std::vector<Operation> operations = {
      {.kind = Kind::kConvolution, .flops = 1},
      {.kind = Kind::kConvolution, .flops = 2},
      {.kind = Kind::kDataGradient, .flops = 4},
      {.kind = Kind::kWeightGradient, .flops = 8},
      {.kind = Kind::kMatrixProduct, .flops = 16, .bytes = 100},
      {.kind = Kind::kMemory, .bytes = 30, .launches = 3},
      {.kind = Kind::kAllReduce, .bytes = 7},
      {.kind = Kind::kHostRead}};
  const Work work = work_of(operations);
  EXPECT_EQ(work.convolution_flops, 3);
  EXPECT_EQ(work.data_gradient_flops, 4);
  EXPECT_EQ(work.weight_gradient_flops, 8);
  EXPECT_EQ(work.matrix_product_flops, 16);
  EXPECT_EQ(work.flops(), 31);
  EXPECT_EQ(work.memory_bytes, 130);
  EXPECT_EQ(work.all_reduce_bytes, 7);
  EXPECT_EQ(work.launches, 10);
  EXPECT_EQ(work.host_reads, 1);
}

TEST(Work, AveragesAPhaseOfEverySixteenthStep) {
  Work step = {.convolution_flops = 100, .launches = 5};
  step += Work{.convolution_flops = 32, .launches = 8, .host_reads = 16} * (1.0 / 16);
  EXPECT_EQ(step.convolution_flops, 102);
  EXPECT_EQ(step.launches, 5.5);
  EXPECT_EQ(step.host_reads, 1);
}

}  // namespace
}  // namespace ganscale::cost
