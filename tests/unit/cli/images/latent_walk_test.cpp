#include "cli/images/latent_walk.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "files/atomic_file.h"
#include "report/media/video_file.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"
#include "unit/models/read_model.h"

namespace ganscale::cli {
namespace {

training::TrainedGenerator untrained(const std::string& model) {
  training::TrainedGenerator result;
  result.config.model = models::read_model(model);
  result.generator = models::build_generator(result.config.model, 1, nullptr);
  result.generator->eval();
  return result;
}

/// Returns how many frames of a walk of one seed, which is always at the same latent, differ.
std::size_t distinct_frames(const ImageSampler& sampler, const models::ImageMotion& motion) {
  const TemporaryFolder folder;
  Walk walk{.cells = {{.seeds = {1}, .labels = {}}}, .frames_per_step = 4};
  walk.motion = motion;
  write_walk(sampler, walk, folder / "w.y4m");
  const std::string video = files::read_file(folder / "w.y4m");
  const std::string separator = "FRAME\n";
  std::set<std::string> frames;
  std::size_t count = 0;
  for (auto at = video.find(separator); at != std::string::npos; ++count) {
    const auto next = video.find(separator, at + 1);
    frames.insert(video.substr(at, next - at));
    at = next;
  }
  EXPECT_EQ(count, 4);
  return frames.size();
}

TEST(WriteWalk, TurnsAndMovesImages) {
  const auto generator = untrained(
      "{name: stylegan3, resolution: 16, z_dim: 8, w_dim: 8, channel_base: 256, channel_max: 16, "
      "layers: 4, margin: 4}");
  const ImageSampler sampler(generator, {});
  EXPECT_EQ(distinct_frames(sampler, {}), 1);
  EXPECT_EQ(distinct_frames(sampler, {.degrees = 360}), 4);
  EXPECT_GE(distinct_frames(sampler, {.right = 0.5}), 3);
}

TEST(WriteWalk, PassesThroughTheImagesOfItsSeeds) {
  const auto generator = untrained("{name: dcgan, channels: 0.125}");
  const ImageSampler sampler(generator, {});
  const TemporaryFolder folder;
  const SampleSpec spec{.seeds = {7, 3}, .labels = {}};
  const Walk walk{.cells = {spec}, .frames_per_step = 1};
  write_walk(sampler, walk, folder / "w.y4m");
  const auto expected = report::open_video(folder / "e.y4m", walk.frames_per_second);
  const at::Tensor images = sampler.sample(spec);
  for (std::int64_t i = 0; i < images.size(0); ++i)
    expected->append(report::make_grid(images.narrow(0, i, 1), walk.layout));
  expected->finish();
  EXPECT_EQ(files::read_file(folder / "w.y4m"), files::read_file(folder / "e.y4m"));
}

TEST(WriteWalk, RefusesToMoveImagesThatCannotMove) {
  const auto generator = untrained("{name: dcgan, channels: 0.125}");
  const ImageSampler sampler(generator, {});
  expect_error(ExitCode::kUsage, "this model can't turn and move its images: dcgan",
               [&] { distinct_frames(sampler, {.degrees = 90}); });
}

TEST(ImageMotion, IsNoneIfImagesStayAsTheyAre) {
  EXPECT_TRUE(models::ImageMotion().is_none());
  EXPECT_FALSE(models::ImageMotion{.degrees = -1}.is_none());
  EXPECT_FALSE(models::ImageMotion{.right = 0.1}.is_none());
  EXPECT_FALSE(models::ImageMotion{.down = 0.1}.is_none());
}

TEST(MotionAt, TurnsEvenlyAndMovesThereAndBack) {
  const models::ImageMotion whole{.degrees = 360, .right = 0.5, .down = -0.25};
  const auto quarter = motion_at(whole, 0.25);
  EXPECT_DOUBLE_EQ(quarter.degrees, 90);
  EXPECT_DOUBLE_EQ(quarter.right, 0.25);
  EXPECT_DOUBLE_EQ(quarter.down, -0.125);
  const auto half = motion_at(whole, 0.5);
  EXPECT_DOUBLE_EQ(half.right, 0.5);
  EXPECT_DOUBLE_EQ(half.down, -0.25);
  EXPECT_DOUBLE_EQ(motion_at(whole, 0.75).right, 0.25);
  EXPECT_EQ(motion_at(whole, 0).degrees, 0);
}

TEST(ClosedWalk, PassesThroughItsKeysAndReturns) {
  const auto keys = at::randn({3, 2, 4}, at::kDouble);
  const auto points = closed_walk(keys, 5);
  ASSERT_EQ(points.sizes(), (std::vector<std::int64_t>{15, 2, 4}));
  for (int key = 0; key < 3; ++key) EXPECT_TRUE(points[5 * key].equal(keys[key]));
}

// Halfway, a Catmull-Rom spline is (-p0 + 9 p1 + 9 p2 - p3) / 16.
TEST(ClosedWalk, IsSmoothBetweenKeys) {
  const auto keys = at::tensor({16.0, 32.0, 80.0, 48.0}, at::kDouble).unsqueeze(1);
  const auto points = closed_walk(keys, 2).flatten();
  EXPECT_DOUBLE_EQ(points[1].item<double>(), (-48 + 9 * 16 + 9 * 32 - 80) / 16.0);
  EXPECT_DOUBLE_EQ(points[7].item<double>(), (-80 + 9 * 48 + 9 * 16 - 32) / 16.0);
}

TEST(ClosedLatentWalk, ChangesItsLengthEvenlyFromKeyToKey) {
  const auto keys = at::tensor({3.0, 0.0, 0.0, 5.0}, at::kDouble).view({2, 2});
  const auto points = closed_latent_walk(keys, 4);
  ASSERT_EQ(points.sizes(), (std::vector<std::int64_t>{8, 2}));
  for (int key = 0; key < 2; ++key) EXPECT_TRUE(points[4 * key].equal(keys[key]));
  const auto length_at = [&](int point) { return points[point].norm().item<double>(); };
  EXPECT_DOUBLE_EQ(length_at(1), 3.5);
  EXPECT_DOUBLE_EQ(length_at(2), 4);
  EXPECT_DOUBLE_EQ(length_at(6), 4);
}

TEST(LatentBetween, ChangesItsLengthEvenly) {
  const auto from = at::tensor({3.0, 0.0}, at::kDouble).unsqueeze(0);
  const auto to = at::tensor({0.0, 5.0}, at::kDouble).unsqueeze(0);
  const auto length_at = [&](double t) {
    return latent_between(from, to, t).norm().item<double>();
  };
  EXPECT_DOUBLE_EQ(length_at(0.5), 4);
  EXPECT_DOUBLE_EQ(length_at(0.25), 3.5);
  EXPECT_TRUE(latent_between(from, to, 0).equal(from));
  EXPECT_TRUE(latent_between(from, to, 1).equal(to));
}

TEST(LatentBetween, IsANumberHalfwayBetweenOpposites) {
  const auto from = at::tensor({1.0, 2.0}, at::kDouble).unsqueeze(0);
  EXPECT_TRUE(latent_between(from, -from, 0.5).isfinite().all().item<bool>());
}

}  // namespace
}  // namespace ganscale::cli
