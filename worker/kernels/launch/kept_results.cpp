#include "kernels/launch/kept_results.h"

#include <algorithm>

#include "kernels/launch/count_change.h"

namespace ganscale::kernels {

bool KeptResults::have_room(const ResultsRecipe& recipe) const {
  // Held weakly, the memory of a source keeps its address to itself.
  const auto is_same = [](const Source& source, const at::Tensor& tensor) {
    return source.memory._unsafe_get_target() == tensor.storage().unsafeGetStorageImpl();
  };
  return form_ == recipe.form && std::ranges::equal(sources_, recipe.sources, is_same);
}

bool KeptResults::are_current(at::TensorList sources) const {
  return std::ranges::equal(sources_, sources, [](const Source& source, const at::Tensor& tensor) {
    return source.version == tensor._version();
  });
}

std::vector<at::Tensor> KeptResults::results(const ResultsRecipe& recipe) {
  const bool is_new = !have_room(recipe);
  if (is_new) results_ = recipe.allocate();
  if (is_new || !are_current(recipe.sources)) {
    recipe.fill(results_);
    count_change(results_);
    form_ = recipe.form;
    sources_.clear();
    for (const at::Tensor& source : recipe.sources) {
      sources_.push_back(
          {source.storage().getWeakStorageImpl(), static_cast<std::uint32_t>(source._version())});
    }
  }
  std::vector<at::Tensor> results;
  for (const at::Tensor& result : results_) results.push_back(result.detach());
  return results;
}

std::vector<at::Tensor> results_of(const ResultsRecipe& recipe, KeptResults* kept) {
  if (kept != nullptr) return kept->results(recipe);
  std::vector<at::Tensor> results = recipe.allocate();
  recipe.fill(results);
  return results;
}

}  // namespace ganscale::kernels
