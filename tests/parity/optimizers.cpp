// Kind "optimizers": init.<i>, grad.step<s>.<i> and, for each case, <case>.after<steps>.<i>.
#include <ATen/core/Tensor.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/error.h"
#include "optim/network_policy.h"
#include "parity/check_fixture.h"
#include "parity/stored.h"

namespace ganscale::parity {
namespace {

struct OptimizerCase {
  std::string_view name;
  const char* config;
  bool has_rounds = false;  ///< of "lookahead_k" updates
};

// The hyper-parameters of the fixtures' README; what it does not name is PyTorch's default.
constexpr std::array kCases = {
    OptimizerCase{"adam", "{name: adam, learning_rate: 2e-3, betas: [0.5, 0.999]}"},
    OptimizerCase{"adam_beta1_0", "{name: adam, learning_rate: 2.5e-3, betas: [0, 0.99]}"},
    OptimizerCase{"adamw",
                  "{name: adamw, learning_rate: 2e-3, betas: [0.9, 0.999], weight_decay: 0.01}"},
    OptimizerCase{"radam", "{name: radam, learning_rate: 2e-3, betas: [0.9, 0.999]}"},
    OptimizerCase{"sgd_momentum",
                  "{name: sgd, learning_rate: 1e-2, momentum: 0.9, nesterov: true}"},
    OptimizerCase{"rmsprop", "{name: rmsprop, learning_rate: 1e-3, smoothing: 0.99}"},
    OptimizerCase{"adabelief",
                  "{name: adabelief, learning_rate: 2e-4, betas: [0.5, 0.999], epsilon: 1e-12}"},
    OptimizerCase{"adabelief_rectify",
                  "{name: adabelief, learning_rate: 2e-4, betas: [0.9, 0.999], epsilon: 1e-16, "
                  "rectify: true}"},
    OptimizerCase{"lamb",
                  "{name: lamb, learning_rate: 2e-3, betas: [0.9, 0.999], epsilon: 1e-6, "
                  "weight_decay: 0.01}"},
    OptimizerCase{"lars",
                  "{name: lars, learning_rate: 0.1, momentum: 0.9, weight_decay: 1e-4, "
                  "trust: 0.001, epsilon: 1e-8}"},
    OptimizerCase{"lookahead_adam",
                  "{name: lookahead, learning_rate: 2e-3, interval: 6, slow_step: 0.5, "
                  "inner: {name: adam, betas: [0.5, 0.999]}}",
                  true},
    OptimizerCase{"lookahead_adabelief",
                  "{name: lookahead, learning_rate: 2e-4, interval: 6, slow_step: 0.5, "
                  "inner: {name: adabelief, betas: [0.5, 0.999], epsilon: 1e-12}}",
                  true},
};

optim::NetworkPolicy policy_of(const std::string& name, const checkpoint::Metadata& metadata) {
  const auto found = std::ranges::find(kCases, name, &OptimizerCase::name);
  if (found == kCases.end())
    throw ConfigError("no optimizer for this case of the fixture: " + name);
  config::Node keys = config::parse_yaml(found->config, name);
  const auto updates = metadata.find("lookahead_k");
  if (found->has_rounds && updates != metadata.end()) {
    config::overlay(keys, config::nest("interval", {updates->second, {"lookahead_k"}}));
  }
  return optim::parse_network_policy(config::Section(std::move(keys)));
}

std::set<std::string> case_names(const NamedTensors& tensors) {
  std::set<std::string> names;
  for (const auto& [name, tensor] : tensors) {
    const auto end = name.find(".after");
    if (end != std::string::npos) names.insert(name.substr(0, end));
  }
  return names;
}

NamedTensors initial_parameters(const NamedTensors& tensors, const Arithmetic& arithmetic) {
  NamedTensors parameters;
  for (const auto& [name, tensor] : tensors) {
    if (!name.starts_with("init.")) continue;
    parameters.emplace(name.substr(5), arithmetic(tensor).clone().requires_grad_());
  }
  if (parameters.empty()) throw DataError("the fixture lacks a tensor: init.0");
  return parameters;
}

void check_case(const std::string& name, const checkpoint::Safetensors& fixture,
                const Arithmetic& arithmetic, Report& report) {
  const NamedTensors& tensors = fixture.tensors;
  const NamedTensors parameters = initial_parameters(tensors, arithmetic);
  const optim::NetworkPolicy policy = policy_of(name, fixture.metadata);
  const auto optimizer = optim::build_optimizer(policy, parameters);
  const std::string first = "." + parameters.begin()->first;
  for (int step = 0; tensors.contains("grad.step" + std::to_string(step) + first); ++step) {
    const std::string gradient_prefix = "grad.step" + std::to_string(step) + ".";
    for (const auto& [index, parameter] : parameters) {
      parameter.mutable_grad() = arithmetic(stored(tensors, gradient_prefix + index));
    }
    optimizer->step(policy.learning_rate);
    const std::string after_prefix = name + ".after" + std::to_string(step + 1) + ".";
    for (const auto& [index, parameter] : parameters) {
      const auto expected = tensors.find(after_prefix + index);
      if (expected != tensors.end()) report.compare(name, parameter, expected->second);
    }
  }
}

}  // namespace

void check_optimizers(const checkpoint::Safetensors& fixture, const Arithmetic& arithmetic,
                      Report& report) {
  const auto names = case_names(fixture.tensors);
  if (names.empty()) throw DataError("the fixture holds no case: no tensor <case>.after<steps>.0");
  for (const auto& name : names) check_case(name, fixture, arithmetic, report);
}

}  // namespace ganscale::parity
