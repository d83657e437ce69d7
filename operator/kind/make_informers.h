#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kube/informer.h"

namespace ganscale::controller {

/// Returns the resource whose name an object has in a label; nullopt without it.
std::optional<Key> key_in_label(const Json& object, const std::string& label);

/// Makes the informers of a kind.
struct MakeInformers {
  std::function<std::unique_ptr<Transport>()> connect;
  Client::Hooks hooks;
  std::function<void(const Key&)> enqueue;  ///< called with the key of the resource to reconcile
  std::vector<std::string> name_spaces{};   ///< empty: all

  /// Returns an informer of the kind's own resources.
  std::unique_ptr<Informer> of_kind(const Resource& resource) const;
  /// Returns an informer of objects that have the label, with an index by the resource that it
  /// names. `keep`: see Informer::Settings.
  std::unique_ptr<Informer> of_owned(const Resource& resource, const std::string& label,
                                     std::function<Json(Json)> keep = {}) const;
  /// Returns an informer of objects without a label of ours, all or those that Informer::Settings
  /// select. `on_change` is called with each that was added, changed or deleted.
  std::unique_ptr<Informer> of_others(Informer::Settings settings,
                                      std::function<void(const Json&)> on_change) const;
};

}  // namespace ganscale::controller
