#include "metrics/networks/inception.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <filesystem>

#include "data/fonts/emoji_font.h"
#include "data/image/decode.h"
#include "support/expect_error.h"
#include "support/run_program.h"
#include "support/temporary_folder.h"

namespace ganscale::metrics {
namespace {

constexpr std::int64_t kScored = 4;
constexpr int kResolution = 64;

/// Emoji of several groups: [4, 3, 64, 64] uint8.
at::Tensor real_images() {
  const auto source = data::open_emoji_font(data::kEmojiFont);
  const data::DecodePolicy policy{
      .channels = 3, .resolution = kResolution, .fit = data::Fit::kResize, .convert_colors = true};
  const auto images = at::empty({kScored, 3, kResolution, kResolution}, at::kByte);
  const auto image_bytes = static_cast<std::size_t>(images[0].numel());
  data::Record record;
  for (std::int64_t i = 0; i < kScored; ++i) {
    source->read(i * source->record_count() / kScored, record);
    data::decode_into(record, policy, {images[i].mutable_data_ptr<std::uint8_t>(), image_bytes});
  }
  return images;
}

double relative_error(const at::Tensor& ours, const at::Tensor& theirs) {
  return ours.sub(theirs).abs().max().div(theirs.abs().max()).item<double>();
}

TEST(Inception, WithRandomWeightsIsTheNetworkBuiltInPython) {
  if (!std::filesystem::exists(data::kEmojiFont)) GTEST_SKIP() << "no font " << data::kEmojiFont;
  at::set_num_threads(1);  // spinning threads would be slower on a busy machine
  const TemporaryFolder folder;
  const auto script = folder / "network.pt";
  const auto pickle = folder / "network.pth";
  const auto weights = folder / "network.safetensors";
  const auto built = run_program("python3 " NETWORK " " + script.string() + " " + pickle.string());
  if (built.exit_code == 77) GTEST_SKIP() << "python3 on the PATH has no torch or safetensors";
  ASSERT_EQ(built.exit_code, 0) << built.output;
  const auto converted =
      run_program("python3 " CONVERTER " " + pickle.string() + " " + weights.string());
  ASSERT_EQ(converted.exit_code, 0) << converted.output;

  const ImageShape shape{3, kResolution};
  const auto ours = open_feature_net({.file = weights}, shape, at::kCPU);
  EXPECT_THAT(converted.output, testing::HasSubstr(ours.sha256));
  EXPECT_EQ(ours.feature_count, 2048);
  EXPECT_EQ(ours.class_count, 1008);
  const auto theirs = open_feature_net({.file = script, .resolution = 299}, shape, at::kCPU);
  const auto images = real_images();
  const auto our_features = ours.net->extract(images);
  const auto their_features = theirs.net->extract(images);
  EXPECT_GT(their_features.features.std().item<double>(), 0.01);
  EXPECT_LT(relative_error(our_features.features, their_features.features), 1e-4);
  EXPECT_LT(relative_error(our_features.logits, their_features.logits), 1e-4);
}

TEST(Inception, NamesAWeightThatIsMissing) {
  expect_error(ExitCode::kData, "lack a tensor: fc.weight", [] { Inception({}, at::kCPU); });
}

}  // namespace
}  // namespace ganscale::metrics
