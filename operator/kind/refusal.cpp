#include "kind/refusal.h"

#include "base/error.h"
#include "object/json.h"

namespace ganscale::controller {

bool may_pass(const Refusal& refusal) {
  return refusal.reason == kMissingClaim || refusal.reason == kMissingConfigMap;
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
