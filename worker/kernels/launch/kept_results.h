#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Storage.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace ganscale::kernels {

/// How to compute tensors from others.
struct ResultsRecipe {
  at::TensorList sources;
  std::vector<std::int64_t> form = {};  ///< what else they depend on, as numbers
  std::function<std::vector<at::Tensor>()> allocate = {};
  /// Writes to what allocate() has returned.
  std::function<void(const std::vector<at::Tensor>& out)> fill = {};
};

/// Results that outlive the graph of autograd that they were computed for: of a network's parameters,
/// for all its passes until the next update. One thread uses it at a time.
///
/// LibTorch counts the operations that change a tensor, and by that count this sees a change. What
/// writes to a source only by its address has to call count_change().
class KeptResults {
 public:
  /// Returns the results as they are kept, in tensors without a graph, and computes them before if
  /// none are or a source has changed: in the same memory, so that the replay of a CUDA graph reads
  /// new ones. A backward pass that still needs the old ones throws then.
  std::vector<at::Tensor> results(const ResultsRecipe& recipe);

 private:
  struct Source {
    c10::weak_intrusive_ptr<c10::StorageImpl> memory;
    std::uint32_t version;
  };
  bool have_room(const ResultsRecipe& recipe) const;
  bool are_current(at::TensorList sources) const;

  std::vector<Source> sources_;
  std::vector<std::int64_t> form_;
  std::vector<at::Tensor> results_;
};

/// Returns the results of a recipe; those that are kept, unless `kept` is null.
std::vector<at::Tensor> results_of(const ResultsRecipe& recipe, KeptResults* kept);

}  // namespace ganscale::kernels
