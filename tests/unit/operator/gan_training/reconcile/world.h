#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gan_training/desired/mpi_job.h"
#include "gan_training/reconcile/reconciler.h"
#include "gan_training/spec/built_in.h"
#include "object/condition.h"
#include "support/fake_api_server.h"

namespace ganscale::controller::gan_training {

inline const Key kFaces{"team", "faces"};

/// A GanTraining on CPUs; `changes` override its spec.
inline Json make_training(const Json& changes = Json::object()) {
  Json spec = {{"image", "x"}, {"nodeProfile", "cpu"}, {"config", {{"training", {{"batch", 8}}}}}};
  spec.merge_patch(changes);
  return {{"apiVersion", kApiVersion},
          {"kind", kKind},
          {"metadata",
           {{"name", kFaces.name},
            {"namespace", kFaces.name_space},
            {"uid", "u"},
            {"generation", 1},
            {"finalizers", Json::array({kFinalizer})}}},
          {"spec", spec}};
}

/// A pod of an attempt of the training.
inline Json make_pod(const std::string& name, const std::string& role, int attempt,
                     const std::string& phase) {
  const Json controller = {{"kind", role == "launcher" ? "Job" : "MPIJob"}, {"controller", true}};
  return {{"metadata",
           {{"name", name},
            {"namespace", kFaces.name_space},
            {"creationTimestamp", "2025-06-15T15:00:00Z"},
            {"ownerReferences", Json::array({controller})},
            {"labels",
             {{kTrainingLabel, kFaces.name},
              {kRoleLabel, role},
              {kAttemptLabel, std::to_string(attempt)}}}}},
          {"status", {{"phase", phase}, {"podIP", "127.0.0.1"}}}};
}

/// One training in a cluster of its own. Nothing happens but what a test asks for: the copies of
/// objects are renewed by sync(), and the worker is never asked.
class World {
 public:
  /// probe_threads: that ask the worker, on 127.0.0.1, once for each state of the attempt.
  explicit World(int probe_threads = 0)
      : transport_(server.connect()),
        client(*transport_, hooks_without_sleep()),
        events(client, "me"),
        informers({[this] { return server.connect(); }, hooks_without_sleep(), [](const Key&) {}}),
        probe(std::chrono::hours(1), probe_threads, [](const Key&) {}),
        reconciler({.cluster = cluster(),
                    .rules = rules(),
                    .probe = probe,
                    .token_key = "key",
                    .now = [this] { return now; }}) {}

  Cluster cluster() { return {client, informers, events, warnings, "ops"}; }
  static Rules rules() {
    static const NodeProfiles profiles = built_in_node_profiles();
    static const WorkerSchema schema(built_in_worker_schema());
    return {profiles, schema};
  }

  void sync() {
    for (Informer* informer : informers.all()) informer->list();
  }
  std::optional<std::chrono::seconds> reconcile() {
    sync();
    return reconciler.reconcile(kFaces);
  }
  /// Reconciles until nothing is written any more.
  void settle() {
    for (int i = 0; i < 20; ++i) {
      const std::size_t before = writes();
      reconcile();
      if (writes() == before) return;
    }
    ADD_FAILURE() << "it writes without end";
  }
  std::size_t writes() const {
    std::size_t count = 0;
    for (const auto& request : server.requests()) {
      const bool is_event = request.path.find("/events") != std::string::npos;
      if (request.method != "GET" && !is_event) ++count;
    }
    return count;
  }

  /// A training whose first attempt runs on one node.
  void run(const Json& changes = Json::object()) {
    server.put(kTrainings, make_training(changes));
    settle();
    set_job_condition(1, "Running");
    server.put(resource::kPods, make_pod("faces-r1-worker-0", "worker", 1, "Running"));
    settle();
  }
  void set_job_condition(int attempt, const std::string& type) {
    server.edit(
        kMpiJobs, job_key(attempt),
        {{"status", {{"conditions", Json::array({{{"type", type}, {"status", "True"}}})}}}});
  }
  static Key job_key(int attempt) { return {kFaces.name_space, attempt_name(kFaces, attempt)}; }

  Json training() const { return server.get(kTrainings, kFaces); }
  GanTraining stored() const { return parse_training(training()); }
  Json status() const { return training().value("status", Json::object()); }
  Json condition(const std::string& type) const { return find_condition(status(), type); }

  /// Returns the notes of all events of a reason. Nothing is recorded after.
  std::vector<std::string> told(const std::string& reason) {
    events.close();
    std::vector<std::string> notes;
    for (const auto& request : server.requests()) {
      if (request.method != "POST" || request.path.find("/events") == std::string::npos) continue;
      const Json event = Json::parse(request.body);
      if (event["reason"] == reason) notes.push_back(event["note"]);
    }
    return notes;
  }

  FakeApiServer server;

 private:
  std::unique_ptr<Transport> transport_;

 public:
  Client client;
  EventRecorder events;
  Informers informers;
  PodWarnings warnings;
  WorkerProbe probe;
  Time now{std::chrono::seconds(1750000000)};
  Reconciler reconciler;
};

}  // namespace ganscale::controller::gan_training
