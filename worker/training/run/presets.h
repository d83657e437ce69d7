#pragma once

#include "config/node.h"

namespace ganscale::training {

/// Fills in the values of `model.preset`; keys of the configuration win. Does nothing without a
/// preset.
///
/// A preset is itself a configuration, configs/presets/*.yaml. It can start from another preset by
/// the same key.
///
/// world_size: auto chooses the batch by it.
/// Throws:     ConfigError for an unknown preset, or a value that it needs and can't read.
void apply_preset(config::Node& root, int world_size);

}  // namespace ganscale::training
