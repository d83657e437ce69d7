#pragma once

#include "training/run/scheme.h"

namespace ganscale::training {

/// Returns the table of schemes; the first is the default.
SchemeTable schemes();

}  // namespace ganscale::training
