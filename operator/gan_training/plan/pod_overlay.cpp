#include "gan_training/plan/pod_overlay.h"

#include <algorithm>
#include <array>
#include <map>
#include <ranges>
#include <span>
#include <string>
#include <vector>

#include "base/joined.h"
#include "gan_training/spec/mount_paths.h"
#include "object/fields.h"
#include "object/lookup.h"
#include "wire/names.h"

namespace ganscale::controller::gan_training {
namespace {

constexpr const char* kOwn = "is the operator's: choose another";

constexpr std::array<std::string_view, 2> kOwnLabelDomains{"ganscale.dev/",
                                                           "training.kubeflow.org/"};

template <class Names>
bool has(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

/// A field and the item of its list that is meant: volumes["run"], in ASCII.
std::string place(std::string_view field, const std::string& item) {
  return std::string(field) + "[" +
         Json(item).dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace) + "]";
}

/// Returns the items of a list by the value of their key.
std::map<std::string, Json> items(Fields& in, const OverlayField& field) {
  const std::string name(field.name);
  const std::string key(field.key);
  const Json list = in.any(name);
  std::map<std::string, Json> found;
  if (list.is_null()) return found;
  in.require(list.is_array(), name, "expected a list");
  for (const Json& item : list) {
    const std::string value = text_at(item, ("/" + key).c_str());
    in.require(!value.empty(), name, "expected a list of objects, each with its " + key);
    in.require(found.emplace(value, item).second, place(name, value), "occurs twice");
  }
  return found;
}

/// Takes note of the fields of a table, and refuses all others.
void refuse_others(Fields& in, std::span<const OverlayField> fields) {
  for (const OverlayField& field : fields) in.any(std::string(field.name));
  in.refuse_unknown("can't be set by a podTemplate, which may set: " +
                    joined(std::views::transform(fields, &OverlayField::name)));
}

void check_metadata(const Plan& plan, Fields in) {
  const Labels own = labels_of(plan.key);
  for (const auto& [label, value] : in.labels("labels")) {
    const bool is_own =
        own.contains(label) || std::ranges::any_of(kOwnLabelDomains, [&](std::string_view domain) {
          return label.starts_with(domain);
        });
    in.require(!is_own, place("labels", label), kOwn);
  }
  in.words("annotations");
  in.refuse_unknown("can't be set by a podTemplate, which may set: annotations, labels");
}

bool is_own_mount(const Plan& plan, const std::string& path) {
  const auto is_of = [mount = normal_mount(path)](const std::string& volume_path) {
    return mount == normal_mount(volume_path);
  };
  const bool has_data = !plan.spec.data.claim_name.empty();  // without a claim none is mounted
  return is_mount_of_operators(path) || (has_data && is_of(plan.spec.data.path)) ||
         is_of(plan.spec.storage.path) || is_of(plan.spec.feature_net.volume.path);
}

/// The ranks don't have the environment of their pod, since sshd gives them another: mpirun
/// passes the launcher's values on, which another pod's would have to equal.
void check_variable(Fields& in, const std::string& name, const Json& variable, bool is_of_ranks) {
  const bool is_own = has(wire::environment::kAll, name) || has(kMpiVariables, name);
  in.require(!is_own, place("env", name), kOwn);
  if (!is_of_ranks || !variable.contains("valueFrom")) return;
  const Json& source = variable["valueFrom"];
  const bool is_shared = source.contains("secretKeyRef") || source.contains("configMapKeyRef");
  in.require(is_shared, place("env", name),
             "a variable of the ranks needs a value, a secretKeyRef or a configMapKeyRef: mpirun "
             "gives all of them the launcher's");
}

/// A node's are in its profile, on which the number of ranks depends.
void check_resources(const Plan& plan, Fields in) {
  std::vector<std::string> own{"cpu", "memory", plan.profile.gpu_resource};
  for (const auto& [name, count] : plan.profile.resources) own.push_back(name);
  for (const char* kind : {"limits", "requests"}) {
    Fields amounts = in.object(kind);
    for (const std::string& name : own) {
      amounts.require(!amounts.has(name), name,
                      "is in the node profile: choose another, or write it out in spec.node");
    }
  }
}

/// Checks what the API server would refuse of any container.
///
/// volumes: of the overlay, by their names.
void check_added(Fields in, const std::map<std::string, Json>& volumes) {
  Fields resources = in.object("resources");
  for (const char* kind : {"limits", "requests"}) resources.quantities(kind);
  for (const OverlayField& field : {kMounts, kDevices}) {
    for (const auto& [path, mount] : items(in, field)) {
      const std::string volume = text_at(mount, "/name");
      in.require(volumes.contains(volume) || has(kOwnVolumes, volume), place(field.name, path),
                 "no such volume in the pod: " + place(kVolumes.name, volume));
    }
  }
}

void check_own_container(const Plan& plan, const std::string& pod, Fields in) {
  const bool is_worker = pod == kWorkerPod;
  in.any("name");
  for (const auto& [name, variable] : items(in, kEnvironment)) {
    check_variable(in, name, variable, is_worker);
  }
  if (is_worker) check_resources(plan, in.object("resources"));
  for (const auto& [path, mount] : items(in, kMounts)) {
    in.require(!is_own_mount(plan, path), place("volumeMounts", path), kOwn);
  }
  refuse_others(in, kContainerFields);
}

void check_containers(const Plan& plan, const std::string& pod, Fields& in) {
  const std::string path = "spec.podTemplate." + pod + ".spec.";
  const auto volumes = items(in, kVolumes);
  for (const auto& [name, container] : items(in, kContainers)) {
    const std::string at = place("containers", name);
    if (name == pod) check_own_container(plan, pod, {container, path + at});
    check_added({container, path + at}, volumes);
    if (name == pod) continue;
    in.require(name != kWorkerPod && name != kLauncherPod, at, "is a container of the other pod");
    in.require(pod == kWorkerPod, at,
               "a sidecar would keep the launcher from ending: use initContainers with "
               "restartPolicy Always");
  }
  const auto containers = items(in, kContainers);
  for (const auto& [name, container] : items(in, kInitContainers)) {
    const std::string at = place("initContainers", name);
    in.require(name != kWorkerPod && name != kLauncherPod, at, kOwn);
    in.require(!containers.contains(name), at, "is the name of a sidecar: choose another");
    check_added({container, path + at}, volumes);
  }
}

void check_pod(const Plan& plan, const std::string& pod, Fields in) {
  check_containers(plan, pod, in);
  for (const OverlayField& field : kPodFields) {
    if (!field.key.empty()) items(in, field);
  }
  for (const auto& [name, volume] : items(in, kVolumes)) {
    in.require(!has(kOwnVolumes, name), place("volumes", name), kOwn);
  }
  in.flag("hostNetwork", false);
  const Json tolerations = in.any("tolerations");
  in.require(tolerations.is_null() || tolerations.is_array(), "tolerations", "expected a list");
  for (const char* map : {"affinity", "dnsConfig", "securityContext"}) in.object(map);
  in.labels("nodeSelector");
  refuse_others(in, kPodFields);
}

}  // namespace

Json overlay_of(const Plan& plan, std::string_view pod) {
  const Json overlay = plan.spec.pod_template.value(std::string(pod), Json());
  return overlay.is_null() ? Json::object() : overlay;
}

Json overlay_environment(const Plan& plan) {
  for (const Json& container : list_at(overlay_of(plan, kWorkerPod), "/spec/containers")) {
    if (text_at(container, "/name") == kWorkerPod) return list_at(container, "/env");
  }
  return Json::array();
}

void check_overlays(const Plan& plan) {
  Fields in(plan.spec.pod_template, "spec.podTemplate");
  std::vector<bool> on_host;
  for (const std::string_view name : {kWorkerPod, kLauncherPod}) {
    const std::string pod(name);
    Fields overlay = in.object(pod);
    check_metadata(plan, overlay.object("metadata"));
    check_pod(plan, pod, overlay.object("spec"));
    on_host.push_back(overlay.object("spec").flag("hostNetwork", false));
    overlay.refuse_unknown("unknown: a podTemplate has metadata and spec");
  }
  in.refuse_unknown("unknown: podTemplate has worker and launcher");
  in.require(on_host[0] == on_host[1], "launcher.spec.hostNetwork",
             "must be as in worker: the NetworkPolicy admits pods, not nodes");
}

}  // namespace ganscale::controller::gan_training
