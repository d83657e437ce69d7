#include "kube/stored_status.h"

#include <algorithm>
#include <map>

#include "base/log.h"
#include "kube/owned.h"
#include "object/condition.h"
#include "object/lookup.h"

namespace ganscale::controller {
namespace {

/// The server's codes for what it refuses because of the spec, with its usual reasons.
const std::map<int, std::string> kRefusals{
    {400, "BadRequest"}, {413, "RequestEntityTooLarge"}, {422, "Invalid"}};

Json status_of(const StoredObject& object) {
  return object.status.is_object() ? object.status : Json::object();
}

/// Whether the rights of our account don't reach so far; a quota and a webhook refuse by 403, too.
bool is_access_denied(const ApiError& error) {
  const std::string_view words = error.what();
  return error.code() == 403 && words.find(" cannot ") != std::string_view::npos &&
         words.find(" resource ") != std::string_view::npos;
}

Failure failure_of(const ApiError& error, const std::string& name_space) {
  if (is_access_denied(error)) {
    return {kAccessDenied, "the operator has no rights in the namespace " + name_space +
                               "; apply rbac/training-namespace.yaml there: " + error.what()};
  }
  if (const auto refusal = kRefusals.find(error.code()); refusal != kRefusals.end()) {
    return {refusal->second, error.what()};
  }
  return {error.reason().empty() ? "Error" : error.reason(), error.what()};
}

}  // namespace

bool is_refusal(const std::string& reason) {
  return std::ranges::any_of(kRefusals, [&](const auto& each) { return each.second == reason; });
}

Json store_status(const StoredObject& object, const Json& status, Client& client) {
  const Json body = {{"apiVersion", object.resource.api_version},
                     {"kind", object.kind},
                     {"metadata",
                      {{"name", object.key.name},
                       {"namespace", object.key.name_space},
                       {"uid", object.uid},
                       {"resourceVersion", object.resource_version}}},
                     {"spec", object.spec},
                     {"status", status}};
  return client.update(object.resource, body, /*status=*/true);
}

void require_current(const StoredObject& object, Client& client) {
  const auto latest = client.get(object.resource, object.key);
  if (latest && text_at(*latest, "/metadata/resourceVersion") == object.resource_version) return;
  throw ApiError(409, "Conflict", "our copy is behind the server: " + object.key.text());
}

Json with_failure(const StoredObject& object, const Failure& failure, Time now) {
  Json status = status_of(object);
  const Json known = find_condition(status, kReconciled);
  const bool is_told =
      text_at(known, "/status") == "False" && text_at(known, "/reason") == failure.reason &&
      (failure.reason != kNameTaken || text_at(known, "/message") == failure.message) &&
      known.value("observedGeneration", Json()) == object.generation;
  if (!is_told) {
    const Condition condition{kReconciled, false, failure.reason, failure.message};
    set_condition(status, condition, object.generation, now);
  }
  if (!status.contains("phase")) status["phase"] = "Pending";
  return status;
}

Json with_success(const StoredObject& object, Time now) {
  Json status = status_of(object);
  if (text_at(find_condition(status, kReconciled), "/status", "True") == "True") return status;
  set_condition(status, {kReconciled, true, "Succeeded", ""}, object.generation, now);
  return status;
}

void report_failure(const StoredObject& object, const Failure& failure, Time now, Client& client,
                    EventRecorder& events) {
  const Json status = with_failure(object, failure, now);
  if (status == status_of(object)) return;
  try {
    store_status(object, status, client);
    const bool is_denied = failure.reason == kAccessDenied;
    events.record(object.reference(),
                  {true, is_denied ? kAccessDenied : "ReconcileFailed", failure.message});
  } catch (const std::exception& error) {
    log::warning("Can't store why a reconcile failed",
                 {{"object", object.key.text()}, {"what", error.what()}});
  }
}

void report_success(const StoredObject& object, Time now, Client& client) {
  const Json status = with_success(object, now);
  if (status == status_of(object)) return;
  try {
    store_status(object, status, client);
  } catch (const ApiError& error) {
    if (error.code() != 409 && error.code() != 404) throw;  // its change brings us back here
  }
}

std::chrono::seconds reconcile_and_report(const StoredObject& object,
                                          const std::function<std::chrono::seconds()>& reconcile,
                                          Time now, Client& client, EventRecorder& events) {
  const auto report = [&](const Failure& failure) {
    report_failure(object, failure, now, client, events);
  };
  try {
    const auto requeue_after = reconcile();
    report_success(object, now, client);
    return requeue_after;
  } catch (const ApiError& error) {
    if (error.code() == 409) throw;
    const Failure failure = failure_of(error, object.key.name_space);
    report(failure);
    if (!is_refusal(failure.reason)) throw;
    return kResync;
  } catch (const TransportError&) {
    throw;  // there is no server to store it
  } catch (const NameTaken& taken) {
    report({kNameTaken, taken.what()});
    return kLookAgain;
  } catch (const std::exception& error) {
    report({"Error", error.what()});
    throw;
  }
}

}  // namespace ganscale::controller
