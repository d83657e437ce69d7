#include "gan_training/desired/pod.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gan_training/desired/overlaid.h"
#include "object/lookup.h"
#include "wire/names.h"

namespace ganscale::controller::gan_training {
namespace {

/// Parts of the arguments of mpirun that bind ranks to cores.
constexpr std::array<std::string_view, 9> kBindings{
    "bind-to", "binding_policy", "cpu-list", "cpu-set", "cpus-per-", "rankfile", "-rf", "pe=",
    "PE="};

void add_preflight(const NodeProfile& profile, const Try& which,
                   std::map<std::string, std::string>& variables) {
  if (!profile.preflight) return;
  variables[wire::environment::kPreflight] = which.accepts_fabric ? "warn" : "require";
  variables.emplace(wire::environment::kPreflightFloor,
                    fmt::format("{}", profile.floor_gigabytes_per_second));
  variables.emplace(wire::environment::kPreflightHcas, std::to_string(profile.hcas));
}

Json environment(const Plan& plan, const Try& which) {
  std::map<std::string, std::string> variables = plan.profile.environment;
  // What is computed once stays for the next attempt; the root folder is read-only.
  variables.emplace("XDG_CACHE_HOME", plan.spec.storage.path + "/.cache");
  variables[wire::environment::kExpectedWorldSize] = std::to_string(plan.ranks());
  variables[wire::environment::kRestarts] = std::to_string(which.restarts);
  variables[wire::environment::kAttempt] = plan.uid + "/" + std::to_string(which.attempt);
  variables[wire::environment::kLeaveStatus] = "1";
  add_preflight(plan.profile, which, variables);
  Json list = Json::array();
  for (const auto& [name, value] : variables) list.push_back({{"name", name}, {"value", value}});
  merge(list, overlay_environment(plan), kEnvironment);
  return list;
}

Json launcher_environment(const Plan& plan, const Try& which) {
  Json list = environment(plan, which);
  // Open MPI 5 does not read the ORTE variables that the MPI Operator sets, and would start every
  // rank in the launcher.
  list.push_back({{"name", "PRTE_MCA_prte_default_hostfile"}, {"value", "/etc/mpi/hostfile"}});
  list.push_back({{"name", "PRTE_MCA_plm_ssh_args"}, {"value", "-o ConnectionAttempts=10"}});
  return list;
}

bool binds_ranks(const NodeProfile& profile) {
  return std::ranges::any_of(profile.mpirun, [](const std::string& argument) {
    return std::ranges::any_of(kBindings, [&](std::string_view option) {
      return argument.find(option) != std::string::npos;
    });
  });
}

Json launcher_arguments(const Plan& plan) {
  Json arguments = Json::array({"launch", "-np", std::to_string(plan.ranks())});
  for (const auto& argument : plan.profile.mpirun) arguments.push_back(argument);
  // By default, mpirun binds each of one or two ranks to a single core.
  if (!binds_ranks(plan.profile)) {
    for (const char* word : {"--bind-to", "none"}) arguments.push_back(word);
  }
  if (runs_as_root(plan)) arguments.push_back("--allow-run-as-root");
  // sshd gives the ranks an environment of its own: what they need is named.
  for (const auto& variable : environment(plan, {})) {
    arguments.push_back("-x");
    arguments.push_back(variable["name"]);
  }
  if (plan.profile.bind_to_gpu) {
    arguments.push_back("/bin/sh");
    arguments.push_back("/etc/ganscale/run/bind.sh");
  }
  for (const auto& word :
       {"ganscale", "train", "--config", "/etc/ganscale/run/config.yaml", "--run"}) {
    arguments.push_back(word);
  }
  arguments.push_back(run_folder(plan));
  return arguments;
}

Json security(const Plan& plan, Role role) {
  Json context = {{"allowPrivilegeEscalation", false}, {"readOnlyRootFilesystem", true}};
  Json capabilities = {{"drop", Json::array({"ALL"})}};
  if (runs_as_root(plan)) {
    context["runAsUser"] = 0;
    // sshd changes user and root folder for each connection, RDMA locks memory.
    if (role == Role::kWorker) {
      capabilities["add"] = Json::array({"IPC_LOCK", "SETGID", "SETUID", "SYS_CHROOT"});
    }
    // With another profile before, the files may belong to user 1000.
    if (role == Role::kPurge) capabilities["add"] = Json::array({"DAC_OVERRIDE"});
  } else {
    context["runAsUser"] = 1000;
    context["runAsNonRoot"] = true;
  }
  context["seccompProfile"] = {{"type", "RuntimeDefault"}};
  context["capabilities"] = capabilities;
  return context;
}

Json resources(const Plan& plan, Role role) {
  Json limits = Json::object();
  if (role == Role::kLauncher) {
    // Limits, too: if a quota asks for them, workers would hold their GPUs without a launcher.
    return {{"requests", {{"cpu", "500m"}, {"memory", "1Gi"}}},
            {"limits", {{"cpu", "4"}, {"memory", "4Gi"}}}};
  }
  const NodeProfile& profile = plan.profile;
  if (!profile.cpu.empty()) limits["cpu"] = profile.cpu;
  if (!profile.memory.empty()) limits["memory"] = profile.memory;
  if (profile.gpus > 0) limits[profile.gpu_resource] = std::to_string(profile.gpus);
  for (const auto& [name, count] : profile.resources) limits[name] = count;
  return {{"limits", limits}, {"requests", limits}};
}

/// Adds the mount of a claim that is only read, if there is one.
void mount_read_only(Json& list, const char* name, const Volume& volume) {
  if (volume.claim_name.empty()) return;
  Json mount = {{"name", name}, {"mountPath", volume.path}, {"readOnly", true}};
  if (!volume.sub_path.empty()) mount["subPath"] = volume.sub_path;
  list.push_back(mount);
}

/// Adds its volume.
void add_read_only(Json& list, const char* name, const Volume& volume) {
  if (volume.claim_name.empty()) return;
  list.push_back(
      {{"name", name},
       {"persistentVolumeClaim", {{"claimName", volume.claim_name}, {"readOnly", true}}}});
}

Json mounts(const Plan& plan, Role role) {
  Json list = Json::array();
  list.push_back({{"name", "run"}, {"mountPath", "/etc/ganscale/run"}, {"readOnly", true}});
  list.push_back({{"name", "tmp"}, {"mountPath", "/tmp"}});  // where Open MPI has its sockets
  if (role == Role::kLauncher) return list;
  list.push_back({{"name", "control"}, {"mountPath", "/etc/ganscale/control"}, {"readOnly", true}});
  if (!plan.profile.shm.empty()) list.push_back({{"name", "shm"}, {"mountPath", "/dev/shm"}});
  mount_read_only(list, "data", plan.spec.data);
  mount_read_only(list, "feature-net", plan.spec.feature_net.volume);
  list.push_back(storage_mount(plan));
  return list;
}

Json volumes(const Plan& plan, Role role) {
  Json list = Json::array();
  list.push_back({{"name", "run"}, {"configMap", {{"name", config_map_name(plan.key)}}}});
  list.push_back({{"name", "tmp"}, {"emptyDir", Json::object()}});
  if (role == Role::kLauncher) return list;
  list.push_back({{"name", "control"}, {"secret", {{"secretName", secret_name(plan.key)}}}});
  if (!plan.profile.shm.empty()) {
    list.push_back(
        {{"name", "shm"}, {"emptyDir", {{"medium", "Memory"}, {"sizeLimit", plan.profile.shm}}}});
  }
  add_read_only(list, "data", plan.spec.data);
  add_read_only(list, "feature-net", plan.spec.feature_net.volume);
  list.push_back(storage_volume(plan));
  return list;
}

Json launcher_container(const Plan& plan, const Try& which) {
  return {{"name", kLauncherPod},
          {"args", launcher_arguments(plan)},  // of the image's entry point
          {"env", launcher_environment(plan, which)},
          // The worker's own last words become the message of a failure. Of a training that came to
          // its end the entry point leaves the last status.
          {"terminationMessagePolicy", "FallbackToLogsOnError"}};
}

Json worker_ports(const Plan& plan) {
  Json ports = Json::array({{{"name", "ssh"}, {"containerPort", kSshPort}}});
  if (const int port = metrics_port(plan.config); port > 0) {
    ports.push_back({{"name", "metrics"}, {"containerPort", port}});
  }
  if (const int port = control_port(plan.config); port > 0) {
    ports.push_back({{"name", kControlPort}, {"containerPort", port}});
  }
  return ports;
}

Json worker_container(const Plan& plan, const Try& which) {
  // sshd would end at once and take the ranks along: they get the time for a checkpoint.
  const Json stop = {
      "/bin/sh", "-c",
      "pkill -USR1 -x ganscale; while pgrep -x ganscale >/dev/null; do sleep 1; done"};
  return {{"name", kWorkerPod},
          {"args", {"worker"}},  // of the image's entry point
          {"env", environment(plan, which)},
          {"ports", worker_ports(plan)},
          {"readinessProbe",
           {{"tcpSocket", {{"port", kSshPort}}}, {"periodSeconds", 2}, {"failureThreshold", 3}}},
          {"lifecycle", {{"preStop", {{"exec", {{"command", stop}}}}}}}};
}

void place_workers(const Plan& plan, Json& spec) {
  const NodeProfile& profile = plan.profile;
  if (!profile.node_selector.empty()) spec["nodeSelector"] = profile.node_selector;
  const Json workers = {{"matchLabels", {{kRoleLabel, kWorkerPod}}}};
  if (profile.exclusive) {
    const Json rule = {{"labelSelector", workers},
                       {"namespaceSelector", Json::object()},
                       {"topologyKey", "kubernetes.io/hostname"}};
    spec["affinity"]["podAntiAffinity"] = {
        {"requiredDuringSchedulingIgnoredDuringExecution", Json::array({rule})}};
  }
  if (!profile.topology_key.empty()) {
    Json selector = workers;
    selector["matchLabels"][kTrainingLabel] = plan.key.name;
    const Json term = {{"labelSelector", selector}, {"topologyKey", profile.topology_key}};
    spec["affinity"]["podAffinity"] = {
        {"preferredDuringSchedulingIgnoredDuringExecution",
         Json::array({{{"weight", 100}, {"podAffinityTerm", term}}})}};
  }
}

/// Nodes with GPUs are kept for the pods that use them.
Json tolerations(const Plan& plan, Role role) {
  Json list = Json::array();
  for (const Json& toleration : plan.profile.tolerations) {
    const bool is_of_gpus = text_at(toleration, "/key") == plan.profile.gpu_resource;
    if (role == Role::kWorker || !is_of_gpus) list.push_back(toleration);
  }
  return list;
}

/// Returns what Kueue reads of where the workers are to be, relative to each other.
Json topology_annotations(const Plan& plan) {
  Json annotations = Json::object();
  const auto add = [&](const char* name, const std::string& level) {
    if (!level.empty()) annotations[name] = level;
  };
  add("kueue.x-k8s.io/podset-required-topology", plan.spec.required_topology);
  add("kueue.x-k8s.io/podset-preferred-topology", plan.spec.preferred_topology);
  return annotations;
}

Json pod_spec(const Plan& plan, Role role, const Try& which) {
  Json container =
      role == Role::kLauncher ? launcher_container(plan, which) : worker_container(plan, which);
  container["resources"] = resources(plan, role);
  container["volumeMounts"] = mounts(plan, role);
  Json spec = pod_around(plan, role, std::move(container));
  spec["volumes"] = volumes(plan, role);
  // With none the API server forgets a pod at once, though its processes may still write.
  spec["terminationGracePeriodSeconds"] = std::max(1, plan.spec.checkpoint_deadline_seconds);
  if (!plan.spec.priority_class.empty()) spec["priorityClassName"] = plan.spec.priority_class;
  if (!plan.spec.scheduler_name.empty()) spec["schedulerName"] = plan.spec.scheduler_name;
  if (role == Role::kWorker) place_workers(plan, spec);
  return spec;
}

}  // namespace

Json pod_around(const Plan& plan, Role role, Json container) {
  container["image"] = plan.spec.image;
  if (!plan.spec.image_pull_policy.empty()) {
    container["imagePullPolicy"] = plan.spec.image_pull_policy;
  }
  container["securityContext"] = security(plan, role);
  Json spec = {{"containers", Json::array({container})},
               {"automountServiceAccountToken", false},
               {"tolerations", tolerations(plan, role)}};
  if (!runs_as_root(plan)) spec["securityContext"] = {{"fsGroup", 1000}};
  for (const auto& secret : plan.spec.image_pull_secrets) {
    spec["imagePullSecrets"].push_back({{"name", secret}});
  }
  return spec;
}

Json storage_mount(const Plan& plan) {
  Json mount = {{"name", "storage"}, {"mountPath", plan.spec.storage.path}};
  if (!plan.spec.storage.sub_path.empty()) mount["subPath"] = plan.spec.storage.sub_path;
  return mount;
}

Json storage_volume(const Plan& plan) {
  const std::string& claim = plan.spec.storage.claim_name;
  if (claim.empty()) return {{"name", "storage"}, {"emptyDir", Json::object()}};
  return {{"name", "storage"}, {"persistentVolumeClaim", {{"claimName", claim}}}};
}

Json pod_template(const Plan& plan, Role role, const Try& which) {
  Json labels = labels_of(plan.key);
  labels[kAttemptLabel] = std::to_string(which.attempt);
  const std::string name(name_in(kRoles, role));
  labels[kRoleLabel] = name;
  Json metadata = {{"labels", labels}};
  const Json annotations = role == Role::kWorker ? topology_annotations(plan) : Json::object();
  if (!annotations.empty()) metadata["annotations"] = annotations;
  return overlaid({{"metadata", metadata}, {"spec", pod_spec(plan, role, which)}}, plan, name);
}

}  // namespace ganscale::controller::gan_training
