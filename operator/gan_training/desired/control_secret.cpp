#include "gan_training/desired/control_secret.h"

namespace ganscale::controller::gan_training {

Json control_secret(const Plan& plan, const std::string& token) {
  return {{"apiVersion", "v1"},
          {"kind", "Secret"},
          {"metadata", metadata_of(plan, secret_name(plan.key))},
          {"type", "Opaque"},
          {"stringData", {{"token", token}}}};
}

}  // namespace ganscale::controller::gan_training
