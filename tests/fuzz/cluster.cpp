#include "definition/cel/expression.h"
#include "definition/definition.h"
#include "fuzz/input_file.h"
#include "fuzz/parsers.h"
#include "gan_training/plan/validate.h"
#include "gan_training/spec/built_in.h"
#include "kube/kubeconfig.h"
#include "kube/watch.h"
#include "object/yaml.h"

namespace ganscale::fuzz {
namespace {

using controller::Definition;
using controller::Json;

/// What the operator does with a stored object whatever it contains.
void check_object(const Json& object) {
  static const std::vector<Definition> definitions = controller::built_in_definitions();
  static const auto profiles = controller::gan_training::built_in_node_profiles();
  static const controller::gan_training::WorkerSchema schema(
      controller::gan_training::built_in_worker_schema());
  for (const Definition& definition : definitions) definition.faults(object);
  if (!object.is_object()) return;
  take_or_refuse([&] {
    const auto training = controller::gan_training::parse_training(object);
    controller::gan_training::check_training(training, profiles, schema, {});
  });
}

}  // namespace

void parse_cel(Bytes input) {
  take_or_refuse([&] { controller::cel::parse(text_of(input)); });
}

void parse_cluster_object(Bytes input) {
  take_or_refuse_at("object.yaml", [&] {
    for (const Json& object : controller::read_yaml(std::string(text_of(input)), "object.yaml"))
      check_object(object);
  });
}

void parse_kubeconfig(Bytes input) {
  const auto file = file_of(input, "kubeconfig");
  take_or_refuse([&] { controller::read_kubeconfig(file); });
}

void parse_watch_event(Bytes input) {
  take_or_refuse([&] { controller::parse_watch_event(text_of(input)); });
}

}  // namespace ganscale::fuzz
