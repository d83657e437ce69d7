#pragma once

#include <ATen/core/Tensor.h>

/// Convolutions with one pixel's weight between features and a few colors, as in the layers of
/// StyleGAN2 that make images of features and the reverse: as fast as a GPU's memory, where a
/// product of matrices is so narrow that it is not. All three are differentiable as often as
/// needed, by each other.
///
/// features: [N, C, H, W].
/// colors:   [N, O, H, W] with at most 4 colors O.
/// weights:  [N, O, C], or [1, O, C] for all images.
///
/// All of one dtype; images are copied unless they are channels last, as results are, and weights
/// unless those of a color lie one after another. Sums are float32 for low-precision types, and in
/// an order that never changes.
namespace ganscale::kernels {

/// Returns whether these products pay for images in the layout of `images` and so many colors: on a
/// GPU and channels last, so that nothing is copied.
bool takes_color_products(const at::Tensor& images, std::int64_t color_count);

/// Returns colors[n, o] = sum over c of weights[n, o, c] features[n, c].
at::Tensor colors_of_features(const at::Tensor& features, const at::Tensor& weights);

/// Returns features[n, c] = sum over o of weights[n, o, c] colors[n, o].
at::Tensor features_of_colors(const at::Tensor& colors, const at::Tensor& weights);

/// Returns weights[n, o, c], the sum over pixels of colors[n, o] features[n, c]: the other half of
/// the derivatives.
///
/// weight_count: N, or 1 to sum over all images.
at::Tensor weights_of_products(const at::Tensor& features, const at::Tensor& colors,
                               std::int64_t weight_count);

}  // namespace ganscale::kernels
