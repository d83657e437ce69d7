#include <algorithm>
#include <utility>

#include "definition/cel/expression.h"
#include "definition/definition.h"
#include "fuzz/input_file.h"
#include "fuzz/parsers.h"
#include "gan_training/decide/observe.h"
#include "gan_training/decide/record.h"
#include "gan_training/decide/status.h"
#include "gan_training/plan/validate.h"
#include "gan_training/spec/built_in.h"
#include "kind/measured.h"
#include "kube/kubeconfig.h"
#include "kube/watch.h"
#include "object/yaml.h"
#include "scaling_sweep/decide/record.h"
#include "scaling_sweep/desired/report_map.h"
#include "scaling_sweep/plan/validate.h"

namespace ganscale::fuzz {
namespace {

namespace gan_training = controller::gan_training;
namespace scaling_sweep = controller::scaling_sweep;

using controller::Definition;
using controller::Json;

const gan_training::NodeProfiles& node_profiles() {
  static const auto profiles = gan_training::built_in_node_profiles();
  return profiles;
}

const gan_training::WorkerSchema& worker_schema() {
  static const gan_training::WorkerSchema schema(gan_training::built_in_worker_schema());
  return schema;
}

/// What the operator does with a stored object whatever it contains.
void check_object(const Json& object) {
  static const std::vector<Definition> definitions = controller::built_in_definitions();
  for (const Definition& definition : definitions) definition.faults(object);
  if (!object.is_object()) return;
  take_or_refuse([&] {
    const auto training = gan_training::parse_training(object);
    gan_training::check_training(training, node_profiles(), worker_schema(), {});
    gan_training::read_record(training.status);
  });
  take_or_refuse([&] {
    const auto sweep = scaling_sweep::parse_sweep(object);
    scaling_sweep::check_sweep(sweep, node_profiles(), worker_schema());
    scaling_sweep::read_record(sweep.status);
  });
}

/// The plan of a sweep over one and two nodes, two runs each.
scaling_sweep::Plan plan_of_sweep() {
  const Json object = {
      {"metadata", {{"name", "weak"}, {"namespace", "default"}}},
      {"spec",
       {{"mode", "Weak"},
        {"points", {{{"nodes", 1}}, {{"nodes", 2}}}},
        {"batchPerRank", 16},
        {"repeats", 2},
        {"warmup", {{"steps", 20}}},
        {"measure", {{"steps", 200}}},
        {"template",
         {{"nodeProfile", "cpu"},
          {"image", "ganscale"},
          {"config",
           {{"model", {{"name", "dcgan"}, {"resolution", 32}}}, {"data", {{"labels", "ignore"}}}}},
          {"data", {{"claimName", "digits"}, {"path", "/data"}}}}}}}};
  auto checked = scaling_sweep::check_sweep(scaling_sweep::parse_sweep(object), node_profiles(),
                                            worker_schema());
  check(checked.reason.empty(), checked.problem);
  return std::move(checked.plan);
}

/// The MPIJob of an attempt.
Json job_of_attempt() {
  return {{"metadata", {{"name", "digits-1"}}}, {"spec", {{"slotsPerWorker", 2}}}};
}

/// Its pods, once the launcher has ended with these last words.
std::vector<Json> pods_of_attempt(std::string_view words, ExitCode code) {
  const auto pod = [](const char* name, const char* role) -> Json {
    return {{"metadata", {{"name", name}, {"labels", {{gan_training::kRoleLabel, role}}}}},
            {"spec", {{"nodeName", "node-1"}}}};
  };
  Json launcher = pod("digits-1-launcher-x", "launcher");
  launcher["status"]["phase"] = "Failed";
  Json& end = launcher["status"]["containerStatuses"][0]["state"]["terminated"];
  end = {{"exitCode", static_cast<int>(code)}, {"message", std::string(words)}};
  return {launcher, pod("digits-1-worker-0", "worker")};
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

/// What a training's pod leaves as it ends, which may be anything.
void parse_last_words(Bytes input) {
  for (const ExitCode code : {ExitCode::kDevice, ExitCode::kFabric}) {
    const auto attempt =
        gan_training::observe_attempt(job_of_attempt(), pods_of_attempt(text_of(input), code));
    gan_training::Facts facts;
    facts.worker = attempt.last_status;
    const Json status = gan_training::next_status(Json(), {}, facts);
    check(controller::parse_json(status.dump()) == status, "a status has a number that JSON lacks");
  }
}

/// What the runs of a sweep say that they measured.
void parse_sweep_results(Bytes input) {
  static const scaling_sweep::Plan plan = plan_of_sweep();
  const Json list = controller::parse_json(text_of(input));
  if (!list.is_array()) return;
  scaling_sweep::Record record;
  for (std::size_t i = 0; i < std::min(list.size(), plan.runs.size()); ++i) {
    const scaling_sweep::SweepRun& run = plan.runs[i];
    scaling_sweep::Result result;
    result.run = run.name;
    result.hash = plan.points[run.point].hash;
    result.measured = controller::read_measured(list[i]);
    record.results.push_back(std::move(result));
  }
  scaling_sweep::report_map(plan, record);
}

void parse_watch_event(Bytes input) {
  take_or_refuse([&] { controller::parse_watch_event(text_of(input)); });
}

}  // namespace ganscale::fuzz
