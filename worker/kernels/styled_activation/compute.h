#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "kernels/styled_activation/fill.h"

/// The passes of styled_activation over tensors, without a graph: on the CPU, a CUDA device or the
/// meta device. An undefined tensor is absent; images are [N, C, H, W], see fill.h for the rest.
namespace ganscale::kernels {

/// The tensors other than images and noise, their gradients or their tangents.
struct StyleTensors {
  at::Tensor demodulation = {};
  at::Tensor next_styles = {};
  at::Tensor bias = {};
  at::Tensor strength = {};

  std::vector<at::Tensor> tensors() const { return {demodulation, next_styles, bias, strength}; }
};

struct StyledValues {
  at::Tensor value = {};
  at::Tensor scaled = {};  ///< undefined without next_styles
};

/// Returns the values, of y's dtype and, if it is dense, layout. noise: [N or 1, 1, H, W].
StyledValues compute_values(const at::Tensor& y, const at::Tensor& noise, const StyleTensors& style,
                            const StyledActivationRule& rule);

/// What both derivatives are computed from. Images may lie in another layout than `value`, whose
/// layout the results have.
struct StyledPoint {
  at::Tensor value_gradient = {};
  at::Tensor scaled_gradient = {};
  at::Tensor value = {};
  at::Tensor y = {};
  at::Tensor noise = {};
  StyleTensors style = {};  ///< demodulation and next_styles

  std::vector<at::Tensor> tensors() const {
    return {value_gradient,     scaled_gradient,  value, y, noise,
            style.demodulation, style.next_styles};
  }
};

/// Which of StyleTensors are wanted.
struct WantedStyle {
  bool demodulation = false;
  bool next_styles = false;
  bool bias = false;
  bool strength = false;
};

/// Of what gradients are wanted.
struct WantedGradients {
  bool y = false;
  WantedStyle style = {};
};

struct StyledGradients {
  at::Tensor y = {};
  StyleTensors style = {};
};

/// Returns the gradients that are wanted.
StyledGradients compute_gradients(const StyledPoint& point, const WantedGradients& wanted,
                                  const StyledActivationRule& rule);

/// Of what in a point second-order gradients are wanted.
struct WantedSecondGradients {
  bool value_gradient = false;
  bool scaled_gradient = false;
  bool value = false;
  bool y = false;
  WantedStyle style = {};  ///< demodulation and next_styles
};

/// Returns the gradients of a point that are wanted, for the tangents of what compute_gradients()
/// returned for it.
StyledPoint compute_second_gradients(const StyledPoint& point, const StyledGradients& tangents,
                                     const WantedSecondGradients& wanted,
                                     const StyledActivationRule& rule);

}  // namespace ganscale::kernels
