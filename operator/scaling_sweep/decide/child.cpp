#include "scaling_sweep/decide/child.h"

#include "object/key.h"
#include "object/lookup.h"
#include "scaling_sweep/plan/plan.h"

namespace ganscale::controller::scaling_sweep {

Child observe_child(const Json& training, const ScalingSweep& sweep) {
  Child child;
  const Json& metadata = training.at("metadata");
  child.name = key_of(training).name;
  child.uid = text_at(metadata, "/uid");
  child.hash = annotation_of(training, kRunHashAnnotation);
  child.owned = is_owned_by(training, sweep.uid);
  child.of_earlier_sweep = !child.owned && has_owner_named(training, kKind, sweep.key.name);
  child.deleted = metadata.contains("deletionTimestamp");
  // The server raises it with each edit of the spec, and no operator edits that of a training.
  child.edited = whole_at(metadata, "/generation") > 1;
  child.created = parse_time(text_at(metadata, "/creationTimestamp"));
  child.phase = read_phase(training.value("status", Json()));
  child.message = text_at(training, "/status/message");
  if (training.contains(Json::json_pointer("/status/measured"))) {
    child.measured = read_measured(training["status"]["measured"]);
  }
  for (const Json& node : list_at(training, "/status/nodeNames")) {
    if (node.is_string()) child.nodes.push_back(node);
  }
  child.image_id = text_at(training, "/status/imageID");
  child.restarts = static_cast<int>(whole_at(training, "/status/restarts"));
  return child;
}

}  // namespace ganscale::controller::scaling_sweep
