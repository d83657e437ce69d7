#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>

#include "comm/group/group.h"

namespace ganscale::comm {

template <class T>
concept Number = std::same_as<T, double> || std::same_as<T, std::int64_t>;

template <class T>
concept NumberOrFlag = Number<T> || std::same_as<T, bool>;

/// Replaces each of a few numbers by its sum over the ranks, all in one operation. Every rank names
/// the same numbers in the same order:
///
///   all_reduce_sum(group, {&images, &steps});
template <Number T>
void all_reduce_sum(Group& group, std::initializer_list<T*> numbers);

/// Replaces each of a few numbers by its maximum over the ranks; a flag is set if any rank's is.
template <NumberOrFlag T>
void all_reduce_max(Group& group, std::initializer_list<T*> numbers);

/// Replaces each of a few numbers by its value on rank 0.
template <NumberOrFlag T>
void broadcast_from_rank_0(Group& group, std::initializer_list<T*> numbers);

}  // namespace ganscale::comm
