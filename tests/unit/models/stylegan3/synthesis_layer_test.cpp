#include "models/stylegan3/synthesis_layer.h"

#include <ATen/ATen.h>

#include "comm/backends/thread_group.h"
#include "models/stylegan/initial_weights.h"
#include "support/check_gradients.h"
#include "tensors/named_tensors.h"

namespace ganscale::models::stylegan3 {
namespace {

Signal signal(int channels, int side, int rate) {
  return {.channels = channels,
          .size = {side, side},
          .rate = rate,
          .cutoff = rate / 4.0,
          .half_width = rate / 4.0};
}

SynthesisLayerOptions doubling() {
  return {.layer = {.in = signal(4, 12, 8), .out = signal(3, 20, 16)},
          .w_dim = 5,
          .magnitude_beta = 0.75};
}

std::shared_ptr<SynthesisLayer> make_layer(const SynthesisLayerOptions& options) {
  auto layer = std::make_shared<SynthesisLayer>(options);
  stylegan::initialize_weights(*layer, "layer", 5);
  layer->to(at::kDouble);
  return layer;
}

double magnitude_of(const SynthesisLayer& layer) {
  return named_state(layer).at("magnitude_ema").item<double>();
}

TEST(SynthesisLayer, HasTheShapeOfItsSignal) {
  const at::NoGradGuard no_grad;
  const auto layer = make_layer(doubling());
  const at::Tensor y =
      layer->forward(fixed_numbers({2, 4, 12, 12}, 0), fixed_numbers({2, 5}, 1), /*tracks=*/false);
  EXPECT_EQ(y.sizes(), at::IntArrayRef({2, 3, 20, 20}));
  const NamedTensors state = named_state(*layer);
  EXPECT_EQ(state.at("up_filter").sizes(), at::IntArrayRef({24}));
  EXPECT_EQ(state.at("down_filter").sizes(), at::IntArrayRef({12}));
}

TEST(SynthesisLayer, DividesByTheMagnitudeOfWhatItTakes) {
  const at::NoGradGuard no_grad;
  const auto layer = make_layer(doubling());
  const at::Tensor x = fixed_numbers({2, 4, 12, 12}, 0);
  const at::Tensor w = fixed_numbers({2, 5}, 1);
  const at::Tensor before = layer->forward(x, w, /*tracks=*/false);
  EXPECT_EQ(magnitude_of(*layer), 1);
  named_state(*layer).at("magnitude_ema").fill_(9);
  EXPECT_TRUE(at::allclose(layer->forward(x * 3, w, /*tracks=*/false), before));
  layer->forward(x, w, /*tracks=*/true);
  EXPECT_NEAR(magnitude_of(*layer), 9 * 0.75 + x.square().mean().item<double>() * 0.25, 1e-12);
}

// Rank r of n holds the images r, r + n, ... of the batch.
TEST(SynthesisLayer, SharesTheMagnitudeOfAllRanks) {
  const at::NoGradGuard no_grad;
  const at::Tensor x = fixed_numbers({4, 4, 12, 12}, 0);
  const at::Tensor w = fixed_numbers({4, 5}, 1);
  const auto alone = make_layer(doubling());
  alone->forward(x, w, /*tracks=*/true);
  comm::run_ranks(2, [&](comm::Group& group) {
    const at::NoGradGuard no_grad_here;
    SynthesisLayerOptions options = doubling();
    options.ranks = &group;
    const auto layer = make_layer(options);
    layer->forward(x.slice(0, group.rank(), {}, 2), w.slice(0, group.rank(), {}, 2),
                   /*tracks=*/true);
    EXPECT_NEAR(magnitude_of(*layer), magnitude_of(*alone), 1e-12);
  });
}

TEST(SynthesisLayer, MakesAnImageWithoutAnActivation) {
  const at::NoGradGuard no_grad;
  SynthesisLayerOptions options{
      .layer = {.in = signal(4, 8, 8), .out = signal(3, 8, 8), .kernel = 1, .is_to_rgb = true},
      .w_dim = 5,
      .clamp = 0.1};
  const auto layer = make_layer(options);
  const at::Tensor w = fixed_numbers({1, 5}, 1);
  const at::Tensor x = fixed_numbers({1, 4, 8, 8}, 0);
  const at::Tensor small = layer->forward(x * 1e-3, w, /*tracks=*/false);
  EXPECT_TRUE(at::allclose(layer->forward(x * -1e-3, w, /*tracks=*/false), -small));
  EXPECT_EQ(layer->forward(x * 1e3, w, /*tracks=*/false).abs().max().item<double>(), 0.1);
}

}  // namespace
}  // namespace ganscale::models::stylegan3
