#pragma once

#include "config/node.h"

namespace ganscale::training {

/// Fills in the values of `model.preset`; keys of the configuration win. Does nothing without a
/// preset.
///
/// config-f and config-e are those of Karras et al. 2020, arXiv:1912.04958, Table 1; paper256,
/// paper512, paper1024, cifar and auto those of Karras et al. 2020, arXiv:2006.06676, as published
/// with the paper; stylegan2 is config-f as that code has it; small is ours, for two CPU cores.
///
/// world_size: auto chooses the batch by it.
/// Throws:     ConfigError for an unknown preset, or a value that it needs and can't read.
void apply_preset(config::Node& root, int world_size);

}  // namespace ganscale::training
