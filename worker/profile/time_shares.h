#pragma once

#include <array>

#include "profile/event.h"
#include "profile/kinds.h"

namespace ganscale::profile {

/// Seconds by kind; they sum to the time that was recorded.
using KindSeconds = std::array<double, kKindNames.size()>;

/// Returns what the time of a recording was spent on: of the device if it ran kernels, else of
/// the thread that trains. An operator's time excludes the operators that it calls. One
/// without a kind has its caller's. Kernels of several streams that run at the
/// same time share it.
KindSeconds seconds_by_kind(const Recording& recording);

}  // namespace ganscale::profile
