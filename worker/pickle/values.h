#pragma once

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "pickle/tensor_view.h"

/// What a pickle holds, in arrays without pointers: a value that contains itself needs no care when
/// it is destroyed, and neither does one that is nested a million times.
namespace ganscale::pickle {

/// The functions that a pickle may call.
enum class Function { kOrderedDict, kRebuildTensor, kRebuildParameter };

/// Indices into the arrays of Values.
enum class ContainerIndex : std::uint32_t {};
enum class StorageIndex : std::uint32_t {};
enum class TensorIndex : std::uint32_t {};

/// monostate is None. A text is part of the pickle.
using Value = std::variant<std::monostate, bool, std::int64_t, double, std::string_view, Function,
                           Dtype, ContainerIndex, StorageIndex, TensorIndex>;

enum class ContainerKind { kTuple, kList, kDict };

struct Container {
  ContainerKind kind = ContainerKind::kTuple;
  std::vector<Value> items;  ///< of a dict in turn a key and its value
};

/// The values of a pickle.
struct Values {
  std::vector<Container> containers;
  std::vector<Storage> storages;
  std::vector<TensorView> tensors;
  Value root;

  const Container& operator[](ContainerIndex index) const {
    return containers[static_cast<std::size_t>(index)];
  }
  Container& operator[](ContainerIndex index) {
    return containers[static_cast<std::size_t>(index)];
  }
  const Storage& operator[](StorageIndex index) const {
    return storages[static_cast<std::size_t>(index)];
  }
  const TensorView& operator[](TensorIndex index) const {
    return tensors[static_cast<std::size_t>(index)];
  }
};

}  // namespace ganscale::pickle
