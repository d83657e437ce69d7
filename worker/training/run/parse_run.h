#pragma once

#include "training/run/run_config.h"

namespace ganscale::training {

/// Reads a configuration strictly.
///
/// schemes: that may be named. None: the section `scheme` is left alone, for verbs that load or
///          measure what was trained.
/// models:  those that may be named.
/// Throws:  ConfigError with file, line and key.
RunConfig parse_run(config::Node root, SchemeTable schemes = {},
                    models::ModelTable models = models::model_table());
RunConfig parse_run(config::Section in, SchemeTable schemes = {},
                    models::ModelTable models = models::model_table());

}  // namespace ganscale::training
