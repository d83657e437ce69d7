#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/MemoryFormat.h>

#include <functional>
#include <optional>

namespace torch::nn {
class Module;
}

/// How features and weights lie in memory: one policy for all networks.
namespace ganscale::models {

/// The layout of a layer.
struct Layout {
  at::MemoryFormat features = at::MemoryFormat::Contiguous;
  at::MemoryFormat weights = at::MemoryFormat::Contiguous;
  std::int64_t channel_multiple = 1;  ///< zeros pad the channels up to a multiple of it
  std::int64_t vector_multiple = 1;   ///< zeros pad a batch of vectors up to a multiple of it
};

/// Decides on layouts:
///
/// | device | computes in | features | weights | channels, vectors | reals and fakes |
/// |---|---|---|---|---|---|
/// | CPU | any type | channels last | as stored | as they are | apart |
/// | GPU | bf16, fp16, tf32 | channels last | channels last | multiples of 8 | joined |
/// | GPU | float32, float64 | contiguous | as stored | as they are | joined |
/// | any, if plain | any type | contiguous | as stored | as they are | apart |
///
/// On a CPU, oneDNN takes channels last as they are, and blocks and pads weights by itself. The
/// tensor cores of a GPU take eight channels at a time that lie side by side, and eight rows: pixels
/// of a batch of images always fill them, vectors of a batch may not. They do not compute in float32.
struct LayoutPolicy {
  bool is_plain = false;     ///< fits layouts to no device
  bool allows_tf32 = false;  ///< a GPU may round the factors of float32 products to TF32
  /// The device to lay out for; by default the one that holds the tensors, where the meta device
  /// stands for a GPU.
  std::optional<at::DeviceType> device = {};

  /// holder: of the tensors.
  Layout layout_of(at::DeviceType holder, at::ScalarType computes_in) const;

  /// Returns whether reals and fakes pass through a discriminator in one batch, if its scores are
  /// the same either way: a GPU then has more to do at a time.
  bool joins_batches(at::DeviceType holder) const;
};

/// Returns features [N, C, H, W] in a dtype, laid out for layers that compute in it.
at::Tensor laid_out(const at::Tensor& x, at::ScalarType dtype, const LayoutPolicy& policy);

/// What a convolution takes.
struct ConvolutionOperands {
  at::Tensor x;          ///< [N, in, H, W]
  at::Tensor weight;     ///< [out, in / groups, K, K], of any dtype
  at::Tensor bias = {};  ///< [out], or undefined
  std::int64_t groups = 1;
};

/// A convolution in some form, strided or transposed: returns [N, out, H', W'].
using Convolve = std::function<at::Tensor(const ConvolutionOperands& in)>;

/// Runs a convolution on operands in x's dtype that are laid out and padded for it.
///
/// The pad changes neither the result nor a derivative of any order: zeros of x and of the weight
/// meet, and the channels that more zeros of the weight add to the result are cut off again. Each
/// group is padded by itself; groups of one channel are not, since no matrix unit takes them.
///
/// Throws: Error (kBug) if x has other channels than weight and groups say.
at::Tensor convolved(const ConvolutionOperands& in, const LayoutPolicy& policy,
                     const Convolve& convolve);

/// A linear layer: returns x weight^T + bias, [N, out], with a batch that is padded for it.
///
/// The pad changes neither the result nor a derivative of any order: no image meets another one, and
/// what vectors of zeros give is cut off again.
///
/// x: [N, in]. weight: [out, in]. bias: [out], or undefined.
at::Tensor multiplied(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                      const LayoutPolicy& policy);

/// A network or layer that lays out its features or weights.
class LaidOut {
 public:
  virtual ~LaidOut() = default;
  void set_layout(const LayoutPolicy& policy) { layout_ = policy; }
  const LayoutPolicy& layout() const { return layout_; }

 private:
  LayoutPolicy layout_;
};

/// Sets the policy of a network and all its layers.
void set_layout(const torch::nn::Module& network, const LayoutPolicy& policy);

}  // namespace ganscale::models
