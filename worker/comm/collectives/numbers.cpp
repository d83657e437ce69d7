#include "comm/collectives/numbers.h"

#include <ATen/ops/empty.h>

#include <algorithm>

namespace ganscale::comm {
namespace {

/// Passes the numbers through one tensor, to which `operation` is applied.
template <class T, class Operation>
void through_tensor(const Group& group, std::initializer_list<T*> numbers, Operation operation) {
  if (group.size() == 1) return;
  // Reductions take no bool.
  using Element = std::conditional_t<std::same_as<T, bool>, std::int64_t, T>;
  const at::Tensor tensor = at::empty({static_cast<std::int64_t>(numbers.size())},
                                      c10::CppTypeToScalarType<Element>::value);
  auto* elements = tensor.mutable_data_ptr<Element>();
  std::ranges::transform(numbers, elements, [](const T* number) { return Element{*number}; });
  operation(tensor);
  for (T* number : numbers) *number = static_cast<T>(*elements++);
}

}  // namespace

template <Number T>
void all_reduce_sum(Group& group, std::initializer_list<T*> numbers) {
  through_tensor(group, numbers, [&](const at::Tensor& data) { group.all_reduce_sum(data); });
}

template <NumberOrFlag T>
void all_reduce_max(Group& group, std::initializer_list<T*> numbers) {
  through_tensor(group, numbers, [&](const at::Tensor& data) { group.all_reduce_max(data); });
}

template <NumberOrFlag T>
void broadcast_from_rank_0(Group& group, std::initializer_list<T*> numbers) {
  through_tensor(group, numbers, [&](const at::Tensor& data) { group.broadcast(data, 0); });
}

template void all_reduce_sum(Group&, std::initializer_list<double*>);
template void all_reduce_sum(Group&, std::initializer_list<std::int64_t*>);
template void all_reduce_max(Group&, std::initializer_list<double*>);
template void all_reduce_max(Group&, std::initializer_list<std::int64_t*>);
template void all_reduce_max(Group&, std::initializer_list<bool*>);
template void broadcast_from_rank_0(Group&, std::initializer_list<double*>);
template void broadcast_from_rank_0(Group&, std::initializer_list<std::int64_t*>);
template void broadcast_from_rank_0(Group&, std::initializer_list<bool*>);

}  // namespace ganscale::comm
