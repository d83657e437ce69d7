#include "fuzz/parsers.h"
#include "pickle/read_tensors.h"

namespace ganscale::fuzz {

void parse_pickle(Bytes input) {
  take_or_refuse([&] {
    for (const auto& [name, view] : pickle::read_tensors(input).tensors) {
      check(view.sizes.size() == view.strides.size(), "a tensor has more sizes than strides");
      std::int64_t last = view.offset;
      bool is_empty = false;
      for (std::size_t i = 0; i < view.sizes.size(); ++i) {
        check(view.sizes[i] >= 0 && view.strides[i] >= 0, "a tensor has a negative size");
        is_empty = is_empty || view.sizes[i] == 0;
        last += (view.sizes[i] - 1) * view.strides[i];
      }
      check(is_empty || (view.offset >= 0 && last < view.storage.element_count),
            "a tensor is not in its storage");
    }
  });
}

}  // namespace ganscale::fuzz
