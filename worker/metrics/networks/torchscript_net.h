#pragma once

#include <memory>

#include "metrics/networks/feature_net.h"

namespace ganscale::metrics {

/// Opens a TorchScript module as a feature network (see open_feature_net()). Throws ConfigError if
/// the file is not one.
std::unique_ptr<FeatureNet> open_torchscript_net(const FeatureNetConfig& config, at::Device device);

}  // namespace ganscale::metrics
