#include "comm/collectives/gather_text.h"

#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

namespace ganscale::comm {

std::vector<std::string> gather_text(Group& group, std::string_view own) {
  const at::Tensor lengths = group.all_gather(at::tensor(static_cast<std::int64_t>(own.size())));
  const at::Tensor padded = at::zeros({lengths.max().item<std::int64_t>()}, at::kByte);
  std::ranges::copy(own, padded.mutable_data_ptr<std::uint8_t>());
  const at::Tensor all = group.all_gather(padded);
  std::vector<std::string> texts;
  for (int rank = 0; rank < group.size(); ++rank) {
    const auto* bytes = all.const_data_ptr<std::uint8_t>() + rank * padded.numel();
    texts.emplace_back(bytes, bytes + lengths.const_data_ptr<std::int64_t>()[rank]);
  }
  return texts;
}

}  // namespace ganscale::comm
