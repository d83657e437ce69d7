#pragma once

#include <array>

#include "profile/event.h"
#include "profile/kinds.h"

namespace ganscale::profile {

/// Seconds by kind; they sum to the time that was recorded.
using KindSeconds = std::array<double, kKindNames.size()>;

/// Returns what the time of a recording was spent on: that of the device if it ran kernels, else
/// that of the thread that trains. An operator's time is without that of the operators it calls. One
/// that has no kind of its own has that of its caller. Kernels of several streams that run at the
/// same time share it.
KindSeconds seconds_by_kind(const Recording& recording);

}  // namespace ganscale::profile
