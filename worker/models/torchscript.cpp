#include "models/torchscript.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/frontend/tracer.h>

#include <ranges>

#include "base/error.h"
#include "base/joined.h"
#include "base/non_copyable.h"
#include "models/label_bundle.h"

namespace ganscale::models {
namespace {

namespace jit = torch::jit;

// Sets the mode of a module for a scope.
class EvalMode : NonCopyable {
 public:
  explicit EvalMode(torch::nn::Module& module)
      : module_(module), was_training_(module.is_training()) {
    module_.eval();
  }
  ~EvalMode() { module_.train(was_training_); }

 private:
  torch::nn::Module& module_;
  bool was_training_;
};

// Returns a module without methods with the network's own tensors under their names: the tracer
// identifies parameters by tensor.
jit::Module state_module(const torch::nn::Module& network, const std::string& type_name,
                         const std::shared_ptr<jit::CompilationUnit>& unit) {
  jit::Module result(c10::QualifiedName("__torch__." + type_name), unit);
  result.register_attribute("training", c10::BoolType::get(), false);
  for (const auto& item : network.named_parameters(/*recurse=*/false)) {
    result.register_parameter(item.key(), item.value(), /*is_buffer=*/false);
  }
  for (const auto& item : network.named_buffers(/*recurse=*/false)) {
    result.register_buffer(item.key(), item.value());
  }
  for (const auto& item : network.named_children()) {
    const std::string child_type = type_name + "_" + item.key();
    result.register_module(item.key(), state_module(*item.value(), child_type, unit));
  }
  return result;
}

/// Writes out numbers that stand for both axes of an image: converters to other formats need two.
void write_both_axes(jit::Graph& graph) {
  for (jit::Node* node : graph.nodes()) {
    const std::string_view name = node->kind().toQualString();
    if (!name.ends_with("convolution") && !name.ends_with("2d")) continue;
    for (jit::Value* input : node->inputs()) {
      jit::Node* list = input->node();
      const bool is_one = list->kind() == c10::prim::ListConstruct && list->inputs().size() == 1;
      if (is_one) list->addInput(list->input(0));
    }
  }
}

jit::Module trace(Generator& generator, const std::string& type_name = "Generator") {
  auto module = state_module(generator, type_name, std::make_shared<jit::CompilationUnit>());
  // Two rows: a batch of one could be traced as a constant.
  jit::Stack inputs = {at::zeros({2, generator.z_dim()})};
  std::vector<std::string> names = {"z"};
  if (generator.label_count() > 0) {
    inputs.emplace_back(at::zeros({2}, at::kLong));
    names.emplace_back("labels");
  }
  const auto run = [&](const jit::Stack& arguments) -> jit::Stack {
    const auto labels = arguments.size() > 1 ? arguments[1].toTensor() : at::Tensor();
    return {generator.traceable_forward(arguments[0].toTensor(), labels)};
  };
  const auto name_of = [](const at::Tensor&) { return std::string(); };
  const auto state = jit::tracer::trace(inputs, run, name_of, /*strict=*/true,
                                        /*force_outplace=*/false, &module, names)
                         .first;
  write_both_axes(*state->graph);
  const c10::QualifiedName method(*module.type()->name(), "forward");
  module.type()->addMethod(
      module._ivalue()->compilation_unit()->create_function(method, state->graph));
  return module;
}

/// Returns the lines that refuse a label without a generator, as LabelBundle::forward() does.
std::string refusal_of_other_labels(const LabelBundle& bundle) {
  const auto text_of = [](std::int64_t label) { return std::to_string(label); };
  const std::string made = joined(labels_of(bundle) | std::views::transform(text_of));
  return "  made = torch.tensor([" + made + "], dtype=labels.dtype, device=labels.device)\n" +
         "  others = labels[torch.logical_not(torch.isin(labels, made))]\n" +
         "  assert others.numel() == 0, \"the bundle has no generator for label {}, only for " +
         made + "\".format(int(others[0]))\n";
}

/// A bundle becomes a script that passes each label's rows to the trace of that label's generator:
/// a trace of the whole would be fixed to one batch's labels.
jit::Module script(const LabelBundle& bundle) {
  jit::Module module("__torch__.LabelBundle");
  const auto [channels, resolution] = bundle.image();
  std::string body = "def forward(self, z, labels):\n  out = torch.zeros([z.size(0), " +
                     std::to_string(channels) + ", " + std::to_string(resolution.height) + ", " +
                     std::to_string(resolution.width) + "], dtype=z.dtype, device=z.device)\n" +
                     refusal_of_other_labels(bundle);
  for (const auto& [label, generator] : bundle.generators()) {
    const auto name = "label_" + std::to_string(label);
    module.register_module(name, trace(*generator, "Generator_" + name));
    body += "  rows = torch.nonzero(labels == " + std::to_string(label) + ").squeeze(1)\n" +
            "  if rows.numel() > 0:\n    out[rows] = self." + name + ".forward(z[rows])\n";
  }
  module.define(body + "  return out\n");
  return module;
}

}  // namespace

void save_torchscript(Generator& generator, const std::filesystem::path& file,
                      const std::map<std::string, std::string>& metadata) {
  const at::NoGradGuard no_grad;
  const EvalMode eval(generator);
  const auto* bundle = dynamic_cast<const LabelBundle*>(&generator);
  const jit::Module module = bundle == nullptr ? trace(generator) : script(*bundle);
  try {
    module.save(file.string(), jit::ExtraFilesMap(metadata.begin(), metadata.end()));
  } catch (const c10::Error& error) {
    throw DataError("cannot write the TorchScript module: " + file.string() + ": " +
                    error.what_without_backtrace());
  }
}

}  // namespace ganscale::models
