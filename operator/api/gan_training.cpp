#include "api/gan_training.h"

#include <algorithm>

#include "base/error.h"

namespace ganscale::controller {
namespace {

Volume parse_volume(Fields in, const std::string& default_path) {
  return {in.text("claimName"), in.text("path", default_path), in.text("subPath")};
}

RestartPolicy parse_restart(Fields in) {
  RestartPolicy r;
  r.max_restarts = static_cast<int>(in.whole("maxRestarts", r.max_restarts));
  r.backoff_seconds = static_cast<int>(in.whole("backoffSeconds", r.backoff_seconds));
  r.max_backoff_seconds = static_cast<int>(in.whole("maxBackoffSeconds", r.max_backoff_seconds));
  in.require(r.max_restarts >= 0, "maxRestarts", "must not be negative");
  in.require(r.backoff_seconds >= 0, "backoffSeconds", "must not be negative");
  return r;
}

void parse_node(Fields& in, TrainingSpec& s) {
  s.nodes = static_cast<int>(in.whole("nodes", s.nodes));
  in.require(s.nodes >= 1 && s.nodes <= 4096, "nodes", "must be 1 to 4096");
  s.node_profile = in.text("nodeProfile");
  if (in.has("node")) s.node = parse_node_profile({in.any("node"), "spec.node"});
  in.require(s.node.has_value() != !s.node_profile.empty(), "nodeProfile",
             "give either nodeProfile or node");
  s.gpus_per_node = static_cast<int>(in.whole("gpusPerNode", 0));
}

void parse_config(Fields& in, TrainingSpec& s) {
  const auto object_or_empty = [&](const char* key) {
    Json value = in.any(key);
    in.require(value.is_null() || value.is_object(), key, "expected an object");
    return value.is_null() ? Json::object() : value;
  };
  s.config = object_or_empty("config");
  s.evaluation = object_or_empty("evaluation");
  Fields from = in.object("configFrom");
  s.config_map = from.text("name");
  s.config_key = from.text("key", "config.yaml");
}

}  // namespace

Key key_of(const Json& object) {
  Fields metadata = Fields(object, "").object("metadata");
  return {metadata.text("namespace", "default"), metadata.text("name")};
}

GanTraining parse_training(const Json& object) {
  GanTraining t;
  t.key = key_of(object);
  Fields top(object, "");
  Fields metadata = top.object("metadata");
  t.uid = metadata.text("uid");
  t.resource_version = metadata.text("resourceVersion");
  t.generation = metadata.whole("generation", 1);
  t.deleted = metadata.has("deletionTimestamp");
  t.finalizers = metadata.list("finalizers");
  if (top.has("spec")) t.spec = top.any("spec");
  if (top.has("status")) t.status = top.any("status");
  return t;
}

bool GanTraining::has_finalizer() const {
  return std::ranges::find(finalizers, kFinalizer) != finalizers.end();
}

TrainingSpec parse_spec(const Json& spec) {
  Fields in(spec, "spec");
  TrainingSpec s;
  parse_node(in, s);
  parse_config(in, s);
  s.image = in.text("image");
  in.require(!s.image.empty(), "image", "names no image");
  s.image_pull_policy = in.text("imagePullPolicy");
  s.image_pull_secrets = in.list("imagePullSecrets");
  s.data = parse_volume(in.object("data"), "/data");
  s.storage = parse_volume(in.object("storage"), "/runs");
  s.suspend = in.flag("suspend", false);
  s.restart = parse_restart(in.object("restartPolicy"));
  s.checkpoint_deadline_seconds =
      static_cast<int>(in.whole("checkpointDeadlineSeconds", s.checkpoint_deadline_seconds));
  s.priority_class = in.text("priorityClassName");
  s.queue_name = in.text("queueName");
  s.scheduler_name = in.text("schedulerName");
  const std::string policy = in.text("deletePolicy", "Keep");
  in.require(policy == "Keep" || policy == "Purge", "deletePolicy", "must be Keep or Purge");
  s.purge = policy == "Purge";
  return s;
}

}  // namespace ganscale::controller
