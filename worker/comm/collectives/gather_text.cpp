#include "comm/collectives/gather_text.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

#include "comm/collectives/numbers.h"

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

std::string text_of_rank_0(Group& group, std::string_view own) {
  auto length = static_cast<std::int64_t>(own.size());
  broadcast_from_rank_0(group, {&length});
  const at::Tensor text = at::empty({length}, at::kByte);
  auto* bytes = text.mutable_data_ptr<std::uint8_t>();
  if (group.rank() == 0) std::ranges::copy(own, bytes);
  group.broadcast(text, 0);
  return {bytes, bytes + length};
}

}  // namespace ganscale::comm
