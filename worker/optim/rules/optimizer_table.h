#pragma once

#include <span>

#include "optim/optimizer/optimizer_kind.h"

namespace ganscale::optim {

/// Returns all optimizers, by the names that configurations use.
std::span<const OptimizerKind> optimizer_kinds();

/// Reads the key `name` (default adam) and returns its kind. Throws ConfigError.
const OptimizerKind& read_kind(config::Section& in,
                               std::span<const OptimizerKind> kinds = optimizer_kinds());

/// Reads the section `inner` of an optimizer that holds another: any of the table that does not.
/// Throws ConfigError.
OptimizerBuilder parse_inner(config::Section& in, const OptimizerDefaults& defaults);

}  // namespace ganscale::optim
