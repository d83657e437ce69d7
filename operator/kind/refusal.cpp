#include "kind/refusal.h"

#include "base/error.h"
#include "kube/stored_status.h"
#include "object/condition.h"
#include "object/lookup.h"

namespace ganscale::controller {

bool may_pass(const Refusal& refusal) {
  return refusal.reason == kMissingClaim || refusal.reason == kMissingConfigMap;
}

Refusal refusal_of_server(const Json& status, std::int64_t generation) {
  const Json told = find_condition(status, kReconciled);
  const std::string reason = text_at(told, "/reason");
  const bool is_refused = text_at(told, "/status") == "False" &&
                          whole_at(told, "/observedGeneration") == generation && is_refusal(reason);
  return is_refused ? Refusal{reason, text_at(told, "/message")} : Refusal{};
}

Refusal refusal_of(const std::function<void()>& check) {
  try {
    check();
  } catch (const Refusal& refusal) {
    return refusal;
  } catch (const ConfigError& error) {
    return {"BadSpec", error.what()};
  } catch (const Json::exception& error) {
    return {"BadSpec", std::string("spec: a value has the wrong type: ") + error.what()};
  }
  return {};
}

}  // namespace ganscale::controller
