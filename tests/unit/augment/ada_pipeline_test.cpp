#include "augment/ada_pipeline.h"

#include "support/expect_error.h"

namespace ganscale::augment {
namespace {

TEST(AdaPipeline, BgcIsBlittingGeometryAndColor) {
  const auto bgc = ada_pipeline({"bgc"});
  EXPECT_TRUE(bgc.xflip && bgc.rotate90 && bgc.xint);
  EXPECT_TRUE(bgc.scale && bgc.rotate && bgc.aniso && bgc.xfrac);
  EXPECT_FALSE(bgc.imgfilter || bgc.noise || bgc.cutout);
}

TEST(AdaPipeline, BgcChangesAllOfColor) {
  const auto bgc = ada_pipeline({"bgc"});
  EXPECT_TRUE(bgc.brightness && bgc.contrast && bgc.lumaflip && bgc.hue && bgc.saturation);
}

TEST(AdaPipeline, NamesAddUp) {
  const auto some = ada_pipeline({"filter", "xflip", "cutout"});
  EXPECT_TRUE(some.imgfilter && some.xflip && some.cutout);
  EXPECT_FALSE(some.rotate90 || some.noise || some.hue);
  const auto all = ada_pipeline({"bgcfnc"});
  EXPECT_TRUE(all.imgfilter && all.noise && all.cutout && all.xfrac && all.hue);
}

TEST(AdaPipeline, RefusesUnknownNames) {
  expect_error(ExitCode::kConfig, "unknown augmentation: mirror (known: blit geom",
               [] { ada_pipeline({"bg", "mirror"}); });
}

}  // namespace
}  // namespace ganscale::augment
