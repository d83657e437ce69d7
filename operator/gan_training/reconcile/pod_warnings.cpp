#include "gan_training/reconcile/pod_warnings.h"

#include "object/lookup.h"
#include "object/resource.h"

namespace ganscale::controller::gan_training {
namespace {

constexpr std::chrono::seconds kFresh{10};
constexpr std::chrono::minutes kForgotten{1};

Json essential_warning(const Json& event) {
  Json kept = Json::object();
  for (const char* field : {"note", "series", "deprecatedLastTimestamp", "eventTime"}) {
    if (event.contains(field)) kept[field] = event[field];
  }
  return kept;
}

}  // namespace

PodWarnings::ByName PodWarnings::list(const std::string& name_space, Client& client) {
  ByName warnings;
  try {
    for (const std::string kind : {"MPIJob", "Job"}) {
      client.list(resource::kEvents, name_space,
                  "fieldSelector=type%3DWarning%2Cregarding.kind%3D" + kind,
                  [&](const Json& event) {
                    if (text_at(event, "/type") != "Warning") return;
                    if (text_at(event, "/regarding/kind") != kind) return;
                    warnings.emplace(text_at(event, "/regarding/name"), essential_warning(event));
                  });
    }
  } catch (const ApiError& error) {
    if (error.code() != 403) throw;
  }
  return warnings;
}

std::vector<Json> PodWarnings::about(const Key& job, Time now, Client& client) {
  std::unique_lock lock(mutex_);
  const Time last = listed_[job.name_space].when;
  if (now >= last + kFresh || last >= now + kFresh) {  // the clock may be set back
    listed_[job.name_space].when = now;
    std::erase_if(listed_, [&](const auto& it) { return it.second.when + kForgotten < now; });
    lock.unlock();
    ByName newest = list(job.name_space, client);
    lock.lock();
    listed_[job.name_space].warnings = std::move(newest);
  }
  const ByName& warnings = listed_[job.name_space].warnings;
  std::vector<Json> about;
  for (const std::string& name : {job.name, job.name + "-launcher"}) {
    const auto [first, end] = warnings.equal_range(name);
    for (auto it = first; it != end; ++it) about.push_back(it->second);
  }
  return about;
}

}  // namespace ganscale::controller::gan_training
