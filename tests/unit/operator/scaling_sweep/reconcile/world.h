#pragma once

#include <memory>
#include <string>
#include <vector>

#include "object/condition.h"
#include "scaling_sweep/reconcile/reconciler.h"
#include "support/fake_api_server.h"
#include "unit/operator/scaling_sweep/make_plan.h"

namespace ganscale::controller::scaling_sweep {

using gan_training::kTrainings;

/// One operator's view of a cluster with one sweep. Nothing happens but what a test asks for: its
/// copies of objects are renewed by sync().
class SweepOperator {
 public:
  SweepOperator(FakeApiServer& server, const Time& now)
      : transport_(server.connect()),
        client(*transport_, hooks_without_sleep()),
        events(client, "me"),
        informers(
            {[&server] { return server.connect(); }, hooks_without_sleep(), [](const Key&) {}}),
        reconciler({.client = client,
                    .informers = informers,
                    .events = events,
                    .profiles = profiles(),
                    .schema = schema(),
                    .now = [&now] { return now; }}) {}

  void sync() {
    for (Informer* informer : informers.all()) informer->list();
  }
  std::optional<std::chrono::seconds> reconcile() {
    sync();
    return reconciler.reconcile(kWeak);
  }

 private:
  static const gan_training::NodeProfiles& profiles() {
    static const gan_training::NodeProfiles known = gan_training::built_in_node_profiles();
    return known;
  }
  static const gan_training::WorkerSchema& schema() {
    static const gan_training::WorkerSchema known(gan_training::built_in_worker_schema());
    return known;
  }

  std::unique_ptr<Transport> transport_;

 public:
  Client client;
  EventRecorder events;
  Informers informers;
  Reconciler reconciler;
};

/// A sweep in an API server in memory, and a stand-in for the trainings.
class SweepWorld {
 public:
  explicit SweepWorld(const Json& changes = Json::object()) {
    const ScalingSweep sweep = make_sweep(changes);
    server.put(
        kSweeps,
        {{"apiVersion", kApiVersion},
         {"kind", kKind},
         {"metadata",
          {{"name", kWeak.name}, {"namespace", kWeak.name_space}, {"uid", "u"}, {"generation", 1}}},
         {"spec", sweep.spec}});
  }

  Json status() const { return server.get(kSweeps, kWeak).value("status", Json::object()); }
  Json training(const std::string& name) const {
    return server.get(kTrainings, {kWeak.name_space, name});
  }
  /// Ends a training as its own reconciler would.
  void end_training(const std::string& name, const std::string& phase, double images_per_second) {
    Json end = {{"phase", phase}, {"message", "exit code 65"}, {"nodeNames", {"a"}}};
    if (images_per_second > 0) end["measured"] = to_json(make_measured(images_per_second));
    server.edit(kTrainings, {kWeak.name_space, name}, {{"status", end}});
  }
  /// Names of the trainings in the order in which they were made.
  std::vector<std::string> made() const {
    std::vector<std::string> names;
    for (const auto& request : server.requests()) {
      if (request.method != "POST" || request.path.find("/gantrainings") == std::string::npos)
        continue;
      names.push_back(Json::parse(request.body)["metadata"]["name"]);
    }
    return names;
  }

  FakeApiServer server;
  Time now{std::chrono::seconds(1750000000)};
};

}  // namespace ganscale::controller::scaling_sweep
