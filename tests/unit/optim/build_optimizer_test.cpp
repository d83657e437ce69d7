#include "optim/build_optimizer.h"

#include <ATen/Functions.h>

#include "support/expect_error.h"

namespace ganscale::optim {
namespace {

OptimizerConfig read(const std::string& yaml) {
  return parse_optimizer(config::Section(config::parse_yaml(yaml, "run.yaml")));
}

TEST(ParseOptimizer, DefaultsToThePapersAdam) {
  const auto c = read("{}");
  EXPECT_EQ(c.name, "adam");
  EXPECT_EQ(c.learning_rate, 2e-4);
  EXPECT_EQ(c.beta1, 0.5);
  EXPECT_EQ(c.beta2, 0.999);
  EXPECT_EQ(c.schedule.name, "constant");
}

TEST(ParseOptimizer, ReadsEveryKeyOfTheNamedRule) {
  const auto c = read(
      "name: adabelief\nlearning_rate: 0.001\nbetas: [0, 0.99]\nepsilon: 1e-10\n"
      "weight_decay: 0.01\nrectify: true\nschedule: {name: cosine}\n");
  EXPECT_EQ(c.learning_rate, 0.001);
  EXPECT_EQ(c.beta1, 0);
  EXPECT_EQ(c.beta2, 0.99);
  EXPECT_EQ(c.epsilon, 1e-10);
  EXPECT_EQ(c.weight_decay, 0.01);
  EXPECT_TRUE(c.rectify);
  EXPECT_EQ(c.schedule.name, "cosine");
}

TEST(ParseOptimizer, RefusesKeysOfAnotherRule) {
  expect_error(ExitCode::kConfig, "run.yaml:2: unknown key: betas",
               [] { read("name: sgd\nbetas: [0, 0.99]\n"); });
}

TEST(ParseOptimizer, RefusesImpossibleValues) {
  expect_error(ExitCode::kConfig, "run.yaml:1: name: expected one of [adam, adamw, radam",
               [] { read("name: adagrad\n"); });
  expect_error(ExitCode::kConfig, "run.yaml:1: learning_rate: must be positive",
               [] { read("learning_rate: 0\n"); });
  expect_error(ExitCode::kConfig, "run.yaml:1: betas: expected two numbers",
               [] { read("betas: [0.5]\n"); });
  expect_error(ExitCode::kConfig, "run.yaml:1: betas: expected two numbers",
               [] { read("betas: [0.5, 1.0]\n"); });
  expect_error(ExitCode::kConfig, "run.yaml:2: nesterov: needs momentum",
               [] { read("{name: sgd, momentum: 0,\n nesterov: true}\n"); });
}

TEST(BuildOptimizer, BuildsEveryKindThatCanBeNamed) {
  for (const char* name : {"adam", "adamw", "radam", "adabelief", "sgd", "rmsprop"}) {
    OptimizerConfig c;
    c.name = name;
    const auto weight = at::ones({3}).requires_grad_();
    const auto optimizer = build_optimizer(c, {{"w", weight}});
    weight.mutable_grad() = at::ones({3});
    optimizer->step(0.1);
    EXPECT_LT(weight[0].item<float>(), 1) << name;
    EXPECT_TRUE(optimizer->state().contains("w.step")) << name;
  }
}

TEST(BuildOptimizer, RefusesAnUnknownName) {
  OptimizerConfig c;
  c.name = "adagrad";
  expect_error(ExitCode::kConfig, "unknown optimizer: adagrad", [&] { build_optimizer(c, {}); });
}

}  // namespace
}  // namespace ganscale::optim
