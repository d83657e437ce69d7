#include "models/biggan/recompute.h"

#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

#include <memory>
#include <vector>

#include "base/error.h"
#include "base/non_copyable.h"
#include "models/biggan/layers.h"

namespace ganscale::models::biggan {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Layers that compute with given weights for a scope.
class HeldWeights : NonCopyable {
 public:
  HeldWeights(const std::vector<SpectralLayer*>& layers, const at::Tensor* weights)
      : layers_(layers) {
    for (SpectralLayer* layer : layers_) layer->hold(*weights++);
  }
  ~HeldWeights() {
    for (SpectralLayer* layer : layers_) layer->hold({});
  }

 private:
  const std::vector<SpectralLayer*>& layers_;
};

/// Batch norms that leave their running statistics alone for a scope.
class StillStatistics : NonCopyable {
 public:
  explicit StillStatistics(const std::vector<BatchNormLayer*>& norms) : norms_(norms) {
    set(false);
  }
  ~StillStatistics() { set(true); }

 private:
  void set(bool moves) {
    for (BatchNormLayer* norm : norms_) norm->move_statistics(moves);
  }
  const std::vector<BatchNormLayer*>& norms_;
};

/// What both runs of a pass share.
struct PassOfLayers : torch::CustomClassHolder {
  PassOfLayers(torch::nn::Module& module, Pass of_layers) : pass(std::move(of_layers)) {
    for (const auto& layer : module.modules()) {
      if (auto* linear = dynamic_cast<SpectralLayer*>(layer.get())) spectral.push_back(linear);
      if (auto* norm = dynamic_cast<BatchNormLayer*>(layer.get())) norms.push_back(norm);
    }
  }

  /// Returns x, the condition, if any, the normalized weights, and the parameters that are none.
  variable_list inputs(torch::nn::Module& module, const at::Tensor& x,
                       const at::Tensor& condition) {
    variable_list all = {x};
    if (condition.defined()) all.push_back(condition);
    first_weight = all.size();
    for (const SpectralLayer* layer : spectral) all.push_back(layer->normalized_weight());
    for (const auto& item : module.named_parameters()) {
      if (item.value().dim() < 2) all.push_back(item.value());
    }
    return all;
  }

  /// inputs: as above; the layers have the parameters themselves.
  at::Tensor run(at::TensorList inputs) const {
    const HeldWeights held(spectral, inputs.data() + first_weight);
    const at::Tensor condition = first_weight > 1 ? inputs[1] : at::Tensor();
    return pass(inputs[0], condition);
  }

  Pass pass;
  std::vector<SpectralLayer*> spectral;
  std::vector<BatchNormLayer*> norms;
  std::size_t first_weight = 0;  ///< of the inputs
};

class Recomputed : public torch::autograd::Function<Recomputed> {
 public:
  static at::Tensor forward(AutogradContext* context,
                            const c10::intrusive_ptr<PassOfLayers>& layers, at::TensorList inputs) {
    context->saved_data["layers"] = c10::IValue::make_capsule(layers);
    context->save_for_backward(inputs.vec());
    return layers->run(inputs);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    check(!at::GradMode::is_enabled(), "recomputed blocks have no second derivative");
    const auto capsule = context->saved_data["layers"].toCapsule();
    const auto& layers = static_cast<const PassOfLayers&>(*capsule);
    const variable_list saved = context->get_saved_variables();
    variable_list inputs = saved;
    const std::size_t first_parameter = layers.first_weight + layers.spectral.size();
    for (std::size_t i = 0; i < first_parameter; ++i) {
      inputs[i] = saved[i].detach().requires_grad_(saved[i].requires_grad());
    }
    const at::AutoGradMode with_graph(true);
    const StillStatistics still(layers.norms);
    return gradients_of(layers.run(inputs), inputs, gradients[0]);
  }

 private:
  /// Returns an undefined gradient for the first argument, which is none, and for whatever needs
  /// none.
  static variable_list gradients_of(const at::Tensor& result, const variable_list& inputs,
                                    const at::Tensor& gradient) {
    variable_list needed;
    for (const at::Tensor& input : inputs) {
      if (input.requires_grad()) needed.push_back(input);
    }
    const variable_list found = torch::autograd::grad({result}, needed, {gradient});
    variable_list all(1 + inputs.size());
    auto next = found.begin();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i].requires_grad()) all[1 + i] = *next++;
    }
    return all;
  }
};

}  // namespace

at::Tensor recomputed(torch::nn::Module& layers, const Pass& pass, const at::Tensor& x,
                      const at::Tensor& condition) {
  if (!at::GradMode::is_enabled()) return pass(x, condition);
  const auto shared = c10::make_intrusive<PassOfLayers>(layers, pass);
  const variable_list inputs = shared->inputs(layers, x, condition);
  return Recomputed::apply(shared, at::TensorList(inputs));
}

}  // namespace ganscale::models::biggan
