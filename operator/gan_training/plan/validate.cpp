#include "gan_training/plan/validate.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <ranges>

#include "base/joined.h"
#include "gan_training/plan/pod_overlay.h"
#include "gan_training/plan/roles.h"
#include "kind/refusal.h"
#include "kind/spec_hash.h"
#include "object/lookup.h"
#include "object/yaml.h"

namespace ganscale::controller::gan_training {
namespace {

constexpr int kDeepestLevel = 32;

void set_ranks(NodeProfile& profile, int ranks) {
  // The GPUs that are left reach the fabric through the HCAs beside them.
  profile.floor_gigabytes_per_second *= std::min(1.0, static_cast<double>(ranks) / profile.ranks);
  profile.ranks = ranks;
  for (std::string& argument : profile.mpirun) {
    if (argument.starts_with("ppr:")) argument = "ppr:" + std::to_string(ranks) + ":node";
  }
}

/// Returns a share of a quantity such as 900Gi: a whole number of a smaller unit if needed.
std::string share_of(const std::string& quantity, int part, int whole) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kSmaller{
      {{"", "m"}, {"Ki", ""}, {"Mi", "Ki"}, {"Gi", "Mi"}, {"Ti", "Gi"}, {"Pi", "Ti"}}};
  const std::size_t digits = std::min(quantity.find_first_not_of("0123456789"), quantity.size());
  std::int64_t amount = 0;
  const auto read = std::from_chars(quantity.data(), quantity.data() + digits, amount);
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / (64 * 1024);
  if (read.ec != std::errc() || amount > kMost) return quantity;  // no node has so much
  const std::string unit = quantity.substr(digits);
  amount *= part;
  if (amount % whole == 0) return std::to_string(amount / whole) + unit;
  const auto* smaller = std::ranges::find(kSmaller, unit, [](const auto& it) { return it.first; });
  if (smaller == kSmaller.end()) return quantity;  // 1.5, 3k, ...: rather too much than too little
  amount *= unit.empty() ? 1000 : 1024;
  return std::to_string(amount / whole) + std::string(smaller->second);
}

/// Leaves the other GPUs of a node, with what belongs to them, to others.
void take_part(NodeProfile& profile, int gpus) {
  if (gpus > profile.gpus) {
    throw Refusal{"BadSpec", "spec.gpusPerNode: " + too_many_gpus(gpus, profile.gpus)};
  }
  if (gpus < profile.gpus) {
    for (std::string* quantity : {&profile.cpu, &profile.memory, &profile.shm}) {
      if (!quantity->empty()) *quantity = share_of(*quantity, gpus, profile.gpus);
    }
    profile.exclusive = false;
  }
  profile.gpus = gpus;
  set_ranks(profile, gpus);
}

NodeProfile profile_of(const TrainingSpec& spec, const NodeProfiles& profiles) {
  NodeProfile profile;
  if (spec.node) {
    profile = *spec.node;
  } else {
    const auto found = profiles.find(spec.node_profile);
    if (found == profiles.end()) {
      throw Refusal{"UnknownProfile", "spec.nodeProfile: unknown: " + spec.node_profile +
                                          " (known: " + joined(std::views::keys(profiles)) + ")"};
    }
    profile = found->second;
  }
  if (spec.gpus_per_node > 0) take_part(profile, spec.gpus_per_node);
  // A single node needs no fabric.
  profile.preflight = spec.preflight.value_or(profile.preflight) && spec.nodes > 1;
  return profile;
}

/// With too few GPUs, each attempt would end as if a device of its nodes had failed.
void check_ranks(const Plan& plan) {
  const NodeProfile& profile = plan.profile;
  if (profile.gpus == 0 || profile.ranks <= profile.gpus) return;
  const std::string where =
      plan.spec.node ? "spec.node.ranks" : "spec.nodeProfile: ranks of " + plan.spec.node_profile;
  throw Refusal{"BadSpec", where + ": exceeds the GPUs of a node, of which each rank needs one: " +
                               std::to_string(profile.ranks) + " of " +
                               std::to_string(profile.gpus)};
}

/// A process with a GPU for each of the two networks leaves half as many processes.
void share_gpus(Plan& plan) {
  NodeProfile& profile = plan.profile;
  const int each = devices_per_process(plan.config);
  if (each == 1 || each * profile.ranks <= profile.gpus) return;
  if (profile.gpus == 0 || profile.gpus % each != 0) {
    throw Refusal{"BadConfig", "spec.config.training.devices_per_process: " + std::to_string(each) +
                                   " GPUs per process do not fit a node with " +
                                   std::to_string(profile.gpus)};
  }
  set_ranks(profile, profile.gpus / each);
}

/// Returns the CPUs of a quantity such as 2, 1.5 or 500m.
double cpus_of(const std::string& quantity) {
  double cpus = 0;
  const char* end = quantity.data() + quantity.size();
  const auto read = std::from_chars(quantity.data(), end, cpus);
  return read.ptr == end ? cpus : cpus / 1000;
}

/// Ranks without a GPU compute with the CPUs that their pod requests, not with all that they see.
void set_threads(Plan& plan) {
  const NodeProfile& profile = plan.profile;
  if (profile.gpus > 0 || profile.cpu.empty()) return;
  Json& training = section_of(plan.config, "training");
  if (training.contains("threads")) return;
  const bool has_roles = sharing_of(plan.config) == wire::Sharing::kRoles;
  const int ranks = has_roles ? wire::role_ranks(plan.ranks()) : plan.ranks();
  const double cpus = cpus_of(profile.cpu) * plan.spec.nodes;
  training["threads"] = std::max(1, static_cast<int>(cpus / ranks));
}

Json config_of(const TrainingSpec& spec, const ReferencedConfig& referenced) {
  if (spec.config_map.empty()) return spec.config;
  if (!referenced.problem.empty()) throw Refusal{kMissingConfigMap, referenced.problem};
  const auto documents = read_yaml(referenced.text, "configFrom." + spec.config_key);
  if (documents.size() != 1 || !documents[0].is_object()) {
    throw Refusal{"BadConfig", "spec.configFrom: expected one YAML map in the key " +
                                   spec.config_key + " of the ConfigMap " + spec.config_map};
  }
  return documents[0];
}

/// What is nested without end would end our stack.
void check_depth(const Json& value, const std::string& name, int left = kDeepestLevel) {
  if (left == 0) {
    throw Refusal{"BadConfig", name + ": nested too deeply: more than " +
                                   std::to_string(kDeepestLevel) + " levels"};
  }
  if (!value.is_structured()) return;
  for (const Json& item : value) check_depth(item, name, left - 1);
}

/// Returns a number of the configuration; nothing if the worker has its default.
std::optional<std::int64_t> number_at(const Plan& plan, const char* pointer) {
  const Json number = plan.config.value(Json::json_pointer(pointer), Json());
  if (!number.is_number_integer()) return std::nullopt;
  return number.get<std::int64_t>();
}

std::optional<std::int64_t> batch_of(const Plan& plan) {
  return number_at(plan, "/training/batch");
}

/// Returns the passes of a step, each over a part of the batch of a rank.
std::int64_t passes_of(const Plan& plan) {
  return number_at(plan, "/training/accumulate").value_or(1);
}

void require_passes_divide(const Plan& plan) {
  const auto batch = batch_of(plan);
  const std::int64_t passes = passes_of(plan);
  if (!batch || (passes > 0 && *batch % passes == 0)) return;
  throw Refusal{"BadConfig", "spec.config.training.accumulate: must divide the batch, " +
                                 std::to_string(*batch) + ": " + std::to_string(passes)};
}

void require_batch_divides(const Plan& plan, const std::string& whose, int ranks) {
  const auto batch = batch_of(plan);
  const std::int64_t passes = passes_of(plan);
  if (!batch || (*batch % ranks == 0 && *batch / ranks % passes == 0)) return;
  const std::string times =
      passes == 1 ? "" : " times training.accumulate, " + std::to_string(passes);
  throw Refusal{"BadConfig", "spec.config.training.batch: must be divisible by " + whose + times +
                                 ": " + std::to_string(*batch) + " on " + std::to_string(ranks)};
}

void check_batch(const Plan& plan) {
  require_passes_divide(plan);
  if (sharing_of(plan.config) == wire::Sharing::kLabels) return;  // a rank takes whole batches
  const auto ratio = role_ratio(plan);
  if (!ratio) return require_batch_divides(plan, "the number of ranks", plan.ranks());
  const int ranks = wire::role_ranks(plan.ranks());
  if (ranks % ratio->sum() != 0) {
    throw Refusal{"BadConfig",
                  "spec.config.scheme.ratio: its sum must divide the number of ranks (two for one "
                  "process): " +
                      wire::to_text(*ratio) + " on " + std::to_string(ranks)};
  }
  const wire::RolePlan roles(*ratio, ranks);
  require_batch_divides(plan, "the ranks of the generator", roles.size(wire::Role::kGenerator));
  require_batch_divides(plan, "the ranks of the discriminator",
                        roles.size(wire::Role::kDiscriminator));
}

void check_config(const Plan& plan, const WorkerSchema& schema) {
  const auto faults = schema.faults(plan.config);
  if (!faults.empty()) throw Refusal{"BadConfig", "spec." + faults.front()};
  check_batch(plan);
}

/// Without a GPU, each attempt would end as if a device of its nodes had failed.
void check_device(const Plan& plan) {
  if (plan.profile.gpus > 0 || text_at(plan.config, "/training/device") != "gpu") return;
  // Such as a resource claim, or a device whose resource is not that of a GPU.
  const bool may_have_others =
      !plan.profile.resources.empty() || !overlay_of(plan, kWorkerPod).empty();
  if (may_have_others) return;
  throw Refusal{"BadConfig",
                "spec.config.training.device: gpu, but the node profile has no GPUs: use auto or "
                "cpu, or a profile with GPUs"};
}

/// Each rank trains labels of its own, and rank 0 gathers their generators from the run folder.
void check_storage(const Plan& plan) {
  if (sharing_of(plan.config) != wire::Sharing::kLabels || plan.spec.nodes == 1) return;
  if (!plan.spec.storage.claim_name.empty()) return;
  throw Refusal{"MissingStorage",
                "spec.storage: scheme per_label needs it on several nodes: rank 0 gathers there "
                "what the ranks of other nodes trained"};
}

void check_progress_is_told(const Plan& plan) {
  if (!plan.spec.progress_deadline_seconds) return;
  if (sharing_of(plan.config) == wire::Sharing::kLabels) {
    throw Refusal{"BadConfig",
                  "spec.progressDeadlineSeconds: with scheme per_label, rank 0 reports only labels "
                  "that are complete, and only its own: leave it out"};
  }
  if (control_port(plan.config) > 0) return;
  throw Refusal{"BadConfig",
                "spec.progressDeadlineSeconds: needs spec.config.telemetry.control_port, where "
                "rank 0 reports its progress"};
}

void check_progress_can_be_read(const Plan& plan) {
  const auto telemetry = plan.config.find("telemetry");
  if (telemetry == plan.config.end() || telemetry->value("tls_certificate", "").empty()) return;
  throw Refusal{"BadConfig",
                "spec.config.telemetry.tls_certificate: the operator reads the control port over "
                "plain HTTP, within the NetworkPolicy of the training"};
}

/// The worker would refuse two that are the same, but one may be a default that no configuration
/// shows; and it does not know that sshd runs beside it.
void check_ports(const Plan& plan) {
  const int control = control_port(plan.config);
  const int metrics = metrics_port(plan.config);
  if (control == kSshPort || metrics == kSshPort) {
    throw Refusal{"BadConfig",
                  std::string("spec.config.telemetry.") +
                      (control == kSshPort ? "control_port" : "metrics_port") +
                      ": is the port of sshd: choose another: " + std::to_string(kSshPort)};
  }
  if (control <= 0 || control != metrics) return;
  throw Refusal{"BadConfig",
                "spec.config.telemetry: control_port and metrics_port (9400 unless given) are the "
                "same: " +
                    std::to_string(control)};
}

std::string request_of(const GanTraining& training, const ReferencedConfig& referenced) {
  const std::string generation = std::to_string(training.generation);
  return referenced.text.empty() ? generation : generation + "-" + spec_hash(referenced.text);
}

}  // namespace

std::string too_many_gpus(int wanted, int of_node) {
  return "exceeds the GPUs of a node: " + std::to_string(wanted) + " of " + std::to_string(of_node);
}

Checked check_training(const GanTraining& training, const NodeProfiles& profiles,
                       const WorkerSchema& schema, const ReferencedConfig& referenced) {
  Checked checked;
  checked.plan.key = training.key;
  checked.plan.uid = training.uid;
  checked.plan.request = request_of(training, referenced);
  checked.plan.queue_labels = training.queue_labels;
  const Refusal refusal = refusal_of([&] {
    Plan& plan = checked.plan;
    plan.spec = parse_spec(training.spec);
    checked.has_spec = true;
    plan.profile = profile_of(plan.spec, profiles);
    checked.has_pods = true;
    const Json config = config_of(plan.spec, referenced);
    check_depth(config, "spec.config");
    check_depth(plan.spec.pod_template, "spec.podTemplate");
    plan.config = worker_config(plan.spec, config);
    check_ranks(plan);
    share_gpus(plan);
    set_threads(plan);
    check_config(plan, schema);
    check_device(plan);
    check_storage(plan);
    check_ports(plan);
    check_progress_is_told(plan);
    check_progress_can_be_read(plan);
    check_overlays(plan);
  });
  checked.reason = refusal.reason;
  checked.problem = refusal.problem;
  return checked;
}

}  // namespace ganscale::controller::gan_training
