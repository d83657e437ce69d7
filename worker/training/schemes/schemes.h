#pragma once

#include "training/run/scheme.h"

namespace ganscale::training {

/// Returns the table of schemes; the first is that of a run that names none.
SchemeTable schemes();

}  // namespace ganscale::training
