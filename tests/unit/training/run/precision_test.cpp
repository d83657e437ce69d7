#include "training/run/precision.h"

#include <gtest/gtest.h>

#include "unit/training/parse_text.h"

namespace ganscale::training {
namespace {

TEST(Precision, KeepsParametersInFullPrecision) {
  EXPECT_EQ(parameter_dtype(Precision::kFp64), at::kDouble);
  for (const auto precision :
       {Precision::kFp32, Precision::kTf32, Precision::kBf16, Precision::kFp16}) {
    EXPECT_EQ(parameter_dtype(precision), at::kFloat);
  }
}

TEST(Precision, RoundsToTf32OnlyIfLessThanFloat32IsRequested) {
  EXPECT_FALSE(allows_tf32(Precision::kFp32));
  EXPECT_FALSE(allows_tf32(Precision::kFp64));
  for (const auto precision : {Precision::kTf32, Precision::kBf16, Precision::kFp16}) {
    EXPECT_TRUE(allows_tf32(precision));
  }
}

TEST(Precision, IsDescribedByWhatComputesInIt) {
  const auto description = [](const std::string& precision, const std::string& model) {
    const RunConfig config =
        parse("model: {" + model + "}\ntraining: {precision: " + precision + "}\n");
    return describe_precision(config.training.precision, config.model);
  };
  const std::string stylegan2 = "name: stylegan2, preset: config-f, resolution: 256";
  EXPECT_EQ(description("tf32", stylegan2), "tf32");
  EXPECT_EQ(description("bf16", stylegan2), "bf16 from 8x8 pixels on, else tf32");
  EXPECT_EQ(description("fp16", stylegan2), "fp16 from 32x32 pixels on, else tf32");
  EXPECT_EQ(description("bf16", stylegan2 + ", low_precision_resolutions: 0"), "tf32");
  EXPECT_EQ(description("bf16", "name: biggan"), "bf16 from 4x4 pixels on, else tf32");
  EXPECT_EQ(description("bf16", "name: dcgan"), "bf16 from 4x4 pixels on, else tf32");
  RunConfig on_cpu = parse("model: {" + stylegan2 + "}\ntraining: {precision: bf16}\n");
  on_cpu.model.compute_in_float32();
  EXPECT_EQ(describe_precision(on_cpu.training.precision, on_cpu.model), "fp32");
}

}  // namespace
}  // namespace ganscale::training
