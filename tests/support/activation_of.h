#pragma once

#include <map>
#include <string>

#include "base/error.h"
#include "kernels/bias_act/bias_act.h"

namespace ganscale::kernels {

/// Returns the activation by its name in the reference implementation. Throws ConfigError for any
/// other.
inline Activation activation_of(const std::string& name) {
  static const std::map<std::string, Activation> kNames = {
      {"linear", Activation::kLinear},    {"relu", Activation::kRelu},
      {"lrelu", Activation::kLeakyRelu},  {"tanh", Activation::kTanh},
      {"sigmoid", Activation::kSigmoid},  {"elu", Activation::kElu},
      {"selu", Activation::kSelu},        {"swish", Activation::kSwish},
      {"softplus", Activation::kSoftplus}};
  const auto found = kNames.find(name);
  if (found == kNames.end()) throw ConfigError("unknown activation: " + name);
  return found->second;
}

}  // namespace ganscale::kernels
