#include "tensors/named_tensors.h"

#include <ATen/Functions.h>
#include <torch/nn/module.h>

#include "support/expect_error.h"

namespace ganscale {
namespace {

class Inner : public torch::nn::Module {
 public:
  Inner() {
    register_parameter("weight", at::full({2}, 3.0));
    register_buffer("mean", at::full({2}, 5.0));
  }
};

class Outer : public torch::nn::Module {
 public:
  Outer() {
    register_parameter("bias", at::zeros({1}));
    register_module("block", std::make_shared<Inner>());
  }
};

std::vector<std::string> names_of(const NamedTensors& tensors) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : tensors) names.push_back(name);
  return names;
}

TEST(NamedTensors, OfAModuleHaveDottedNames) {
  const Outer module;
  EXPECT_EQ(names_of(named_parameters(module)), (std::vector<std::string>{"bias", "block.weight"}));
  EXPECT_EQ(names_of(named_buffers(module)), (std::vector<std::string>{"block.mean"}));
  EXPECT_EQ(names_of(named_state(module)),
            (std::vector<std::string>{"bias", "block.mean", "block.weight"}));
}

TEST(NamedTensors, AreTheModulesOwn) {
  const Outer module;
  named_buffers(module).at("block.mean").fill_(7);
  EXPECT_EQ(named_state(module).at("block.mean")[1].item<double>(), 7);
}

TEST(InsertWithPrefix, PutsThePrefixBeforeEachName) {
  NamedTensors all{{"a", at::ones({1})}};
  insert_with_prefix(all, "inner.", {{"a", at::zeros({1})}, {"b", at::zeros({1})}});
  EXPECT_EQ(names_of(all), (std::vector<std::string>{"a", "inner.a", "inner.b"}));
}

TEST(InsertWithPrefix, RefusesANameThatIsThere) {
  NamedTensors all{{"inner.a", at::ones({1})}};
  expect_error(ExitCode::kBug, "two tensors have the same name: inner.a",
               [&] { insert_with_prefix(all, "inner.", {{"a", at::zeros({1})}}); });
}

TEST(CopyInto, WritesInPlaceAndConvertsTheDtype) {
  const at::Tensor target = at::zeros({2}, at::kDouble).requires_grad_();
  copy_into({{"a", target}}, {{"a", at::tensor({1.0F, 2.0F})}}, "the test");
  EXPECT_TRUE(at::equal(target.detach(), at::tensor({1.0, 2.0}, at::kDouble)));
}

TEST(CopyInto, NamesWhatIsMissingUnknownOrOfAnotherShape) {
  const NamedTensors target{{"a", at::zeros({2, 3})}, {"b", at::zeros({1})}};
  expect_error(ExitCode::kData, "the file lacks a tensor: b",
               [&] { copy_into(target, {{"a", at::ones({2, 3})}}, "the file"); });
  NamedTensors source{{"a", at::ones({2, 3})}, {"b", at::ones({1})}, {"c", at::ones({1})}};
  expect_error(ExitCode::kData, "the file has an unknown tensor: c",
               [&] { copy_into(target, source, "the file"); });
  source.erase("c");
  source.at("a") = at::ones({3, 2});
  expect_error(ExitCode::kData,
               "the file has a tensor of another shape: a: [3, 2], expected [2, 3]",
               [&] { copy_into(target, source, "the file"); });
}

TEST(CopyInto, ChangesNothingIfATensorIsUnknown) {
  const NamedTensors target{{"a", at::zeros({2})}};
  expect_error(ExitCode::kData, "unknown tensor", [&] {
    copy_into(target, {{"a", at::ones({2})}, {"b", at::ones({1})}}, "the file");
  });
  EXPECT_EQ(target.at("a").sum().item<double>(), 0);
}

}  // namespace
}  // namespace ganscale
