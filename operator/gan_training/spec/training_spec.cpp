#include "gan_training/spec/training_spec.h"

#include "gan_training/spec/mount_paths.h"

namespace ganscale::controller::gan_training {
namespace {

constexpr int kMostRestarts = 1000000;
constexpr int kWeekSeconds = 7 * 24 * 3600;
constexpr int kYearSeconds = 365 * 24 * 3600;

Volume parse_volume(Fields in, const std::string& default_path) {
  return {in.name("claimName"), in.text("path", default_path), in.text("subPath")};
}

RestartPolicy parse_restart(Fields in) {
  RestartPolicy r;
  r.max_restarts = in.whole("maxRestarts", r.max_restarts, 0, kMostRestarts);
  r.backoff_seconds = in.whole("backoffSeconds", r.backoff_seconds, 0, kWeekSeconds);
  r.max_backoff_seconds = in.whole("maxBackoffSeconds", r.max_backoff_seconds, 0, kWeekSeconds);
  r.avoid_node_seconds = in.whole("avoidNodeSeconds", r.avoid_node_seconds, 0, kWeekSeconds);
  return r;
}

void parse_node(Fields& in, TrainingSpec& s) {
  s.nodes = in.whole("nodes", s.nodes, 1, 4096);
  s.node_profile = in.text("nodeProfile");
  if (in.has("node")) s.node = parse_node_profile({in.any("node"), "spec.node"});
  in.require(s.node.has_value() != !s.node_profile.empty(), "nodeProfile",
             "give either nodeProfile or node");
  s.gpus_per_node = in.whole("gpusPerNode", 0, 0, 64);
  if (in.has("preflight")) s.preflight = in.flag("preflight", false);
}

/// The object at a key as it is; an empty one if there is none.
Json any_object(Fields& in, const char* key) {
  Json value = in.any(key);
  in.require(value.is_null() || value.is_object(), key, "expected an object");
  return value.is_null() ? Json::object() : value;
}

/// Takes the feature network out of `spec.evaluation`, whose other keys are the worker's.
FeatureNet take_feature_net(Json& evaluation) {
  constexpr const char* kKey = "featureNet";
  const auto found = evaluation.find(kKey);
  if (found == evaluation.end()) return {};
  Fields in(*found, std::string("spec.evaluation.") + kKey);
  FeatureNet net{.volume = {in.name("claimName"), in.text("path", "/features"), in.text("subPath")},
                 .file = in.text("file", "inception-2015-12-05.pt")};
  in.require(!net.volume.claim_name.empty(), "claimName", "names no PersistentVolumeClaim");
  in.require(net.volume.path.starts_with('/'), "path", "must begin with /: " + net.volume.path);
  in.refuse_unknown("must be claimName, path, subPath or file");
  evaluation.erase(found);
  return net;
}

std::optional<int> parse_deadline(Fields& in, const char* key) {
  if (!in.has(key)) return std::nullopt;
  return in.whole(key, 0, 1, kWeekSeconds);
}

void parse_scheduling(Fields& in, TrainingSpec& s) {
  s.priority_class = in.name("priorityClassName");
  s.queue_name = in.name("queueName");
  s.scheduler_name = in.name("schedulerName");
  s.scheduling_deadline_seconds = parse_deadline(in, "schedulingDeadlineSeconds");
  s.progress_deadline_seconds = parse_deadline(in, "progressDeadlineSeconds");
  Fields topology = in.object("topology");
  s.required_topology = topology.text("required");
  s.preferred_topology = topology.text("preferred");
  in.require(s.required_topology.empty() || s.preferred_topology.empty(), "topology",
             "give either required or preferred");
}

void parse_config(Fields& in, TrainingSpec& s) {
  s.config = any_object(in, "config");
  s.evaluation = any_object(in, "evaluation");
  s.feature_net = take_feature_net(s.evaluation);
  Fields from = in.object("configFrom");
  s.config_map = from.name("name");
  s.config_key = from.text("key", "config.yaml");
}

void check_mount(const Fields& in, const std::string& field, const Volume& volume) {
  in.require(!is_mount_of_operators(volume.path), field + ".path",
             "is the operator's: choose another: " + volume.path);
  // Kubernetes documents this without checking it; some runtimes can't start such a container.
  in.require(volume.path.find(':') == std::string::npos, field + ".path",
             "must not contain a colon: " + volume.path);
  in.require(stays_in_volume(volume.sub_path), field + ".subPath",
             "must be a relative path without \"..\": " + volume.sub_path);
}

/// The API server refuses every pod with two volumes at one path.
void check_mounts(const Fields& in, const TrainingSpec& s) {
  const bool has_data = !s.data.claim_name.empty();  // without a claim none is mounted
  if (has_data) check_mount(in, "data", s.data);
  check_mount(in, "storage", s.storage);
  check_mount(in, "evaluation.featureNet", s.feature_net.volume);
  const std::string data = normal_mount(s.data.path);
  const std::string storage = normal_mount(s.storage.path);
  in.require(!has_data || storage != data, "storage.path",
             "is the mount path of data: " + s.storage.path);
  const std::string net = normal_mount(s.feature_net.volume.path);
  in.require(net.empty() || ((!has_data || net != data) && net != storage),
             "evaluation.featureNet.path",
             "is the mount path of data or storage: " + s.feature_net.volume.path);
}

}  // namespace

TrainingSpec parse_spec(const Json& spec) {
  Fields in(spec, "spec");
  TrainingSpec s;
  parse_node(in, s);
  parse_config(in, s);
  s.image = in.text("image");
  in.require(!s.image.empty(), "image", "names no image");
  s.image_pull_policy = in.text("imagePullPolicy");
  s.image_pull_secrets = in.names("imagePullSecrets");
  s.pod_template = any_object(in, "podTemplate");
  s.data = parse_volume(in.object("data"), "/data");
  s.storage = parse_volume(in.object("storage"), "/runs");
  check_mounts(in, s);
  s.suspend = in.flag("suspend", false);
  s.restart = parse_restart(in.object("restartPolicy"));
  s.checkpoint_deadline_seconds =
      in.whole("checkpointDeadlineSeconds", s.checkpoint_deadline_seconds, 0, 86400);
  if (in.has("ttlSecondsAfterFinished")) {
    s.ttl_seconds = in.whole("ttlSecondsAfterFinished", 0, 0, kYearSeconds);
  }
  parse_scheduling(in, s);
  const std::string policy = in.text("deletePolicy", "Keep");
  in.require(policy == "Keep" || policy == "Purge", "deletePolicy", "must be Keep or Purge");
  s.purge = policy == "Purge";
  return s;
}

}  // namespace ganscale::controller::gan_training
