#pragma once

#include "models/contract/model.h"

namespace ganscale::models {

/// Returns all models. The first is the default.
ModelTable model_table();

}  // namespace ganscale::models
