#pragma once

#include "config/section.h"

namespace ganscale::training {

/// Fills in the values of the presets that the configuration names; its own keys win.
///
/// A preset is itself a configuration. `model.preset` names one of configs/presets/*.yaml, which is
/// a model's, and may itself start from another by the same key. `preset` names one of
/// configs/presets/any_model/*.yaml, which sets no key of a model and so fits all of them: it is
/// the run's, and wins over the model's. With `training.resume_weights`, the values that suit
/// trained networks win over both, see docs/generate.md.
///
/// world_size: the preset auto chooses the batch by it.
/// Throws:     ConfigError for an unknown preset, or a value that it needs and can't read.
void apply_presets(config::Node& root, int world_size);

/// Whether a configuration names the preset auto, itself and not by another preset.
bool names_auto(const config::Node& root);

/// Has apply_presets() choose for auto as it did when the run was last started, on however many ranks
/// it goes on: adds the batch, from which the rest follows, and mbstd_group. Not if the configuration has
/// another batch of its own.
///
/// begun:   the resolved configuration of that start.
/// Returns: whether it added anything.
/// Throws:  ConfigError for a batch that is no positive integer.
bool keep_choices(config::Node& root, const config::Node& begun);

/// Reads `preset`, whose values apply_presets() has filled in.
void read_preset(config::Section& in);

}  // namespace ganscale::training
