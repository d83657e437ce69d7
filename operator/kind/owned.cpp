#include "kind/owned.h"

namespace ganscale::controller {

Labels owned_labels(const Key& owner, const std::string& label) {
  return {{"app.kubernetes.io/name", "ganscale"},
          {"app.kubernetes.io/instance", owner.name},
          {"app.kubernetes.io/managed-by", "ganscale-operator"},
          {label, owner.name}};
}

Json owned_metadata(const ObjectReference& owner, const std::string& label,
                    const std::string& name) {
  return {{"name", name},
          {"namespace", owner.key.name_space},
          {"labels", owned_labels(owner.key, label)},
          {"ownerReferences",
           {{{"apiVersion", owner.api_version},
             {"kind", owner.kind},
             {"name", owner.key.name},
             {"uid", owner.uid},
             {"controller", true},
             {"blockOwnerDeletion", true}}}}};
}

}  // namespace ganscale::controller
