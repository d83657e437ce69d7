#include "gan_training/reconcile/informers.h"

#include "gan_training/decide/observe.h"
#include "gan_training/desired/mpi_job.h"
#include "gan_training/plan/plan.h"
#include "object/lookup.h"

namespace ganscale::controller::gan_training {
namespace {

/// Keeps of a cordoned node its name.
Json essential_node(const Json& node) {
  const Json& metadata = node.at("metadata");
  return {
      {"metadata",
       {{"name", metadata.at("name")}, {"resourceVersion", metadata.value("resourceVersion", "")}}},
      {"spec", {{"unschedulable", node.value(Json::json_pointer("/spec/unschedulable"), false)}}}};
}

/// Enqueues the trainings that have a pod on a node.
void enqueue_trainings_on(const Json& node, const Informer& pods,
                          const std::function<void(const Key&)>& enqueue) {
  const std::string name = key_of(node).name;
  for (const auto& pod : pods.all()) {
    if (text_at(*pod, "/spec/nodeName") != name) continue;
    if (const auto training = key_in_label(*pod, kTrainingLabel)) enqueue(*training);
  }
}

}  // namespace

Informers::Informers(const MakeInformers& make)
    : trainings(make.of_kind(kTrainings)),
      jobs(make.of_owned(kMpiJobs, kTrainingLabel)),
      pods(make.of_owned(resource::kPods, kTrainingLabel, essential_pod)),
      config_maps(make.of_owned(resource::kConfigMaps, kTrainingLabel)),
      policies(make.of_owned(resource::kNetworkPolicies, kTrainingLabel)),
      budgets(make.of_owned(resource::kBudgets, kTrainingLabel)) {
  if (!make.name_spaces.empty()) return;
  nodes = make.of_others({.resource = resource::kNodes,
                          .field_selector = "spec.unschedulable%3Dtrue",
                          .keep = essential_node},
                         [this, enqueue = make.enqueue](const Json& node) {
                           enqueue_trainings_on(node, *pods, enqueue);
                         });
}

std::vector<Informer*> Informers::all() const {
  std::vector<Informer*> list{trainings.get(),   jobs.get(),     pods.get(),
                              config_maps.get(), policies.get(), budgets.get()};
  if (nodes) list.push_back(nodes.get());
  return list;
}

bool Informers::is_cordoned(const std::string& node) const {
  if (!nodes) return false;
  const auto found = nodes->find(key_of({{"metadata", {{"name", node}}}}));
  return found && (*found)["spec"]["unschedulable"] == true;
}

}  // namespace ganscale::controller::gan_training
