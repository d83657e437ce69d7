#include "kind/make_informers.h"

namespace ganscale::controller {

std::optional<Key> key_in_label(const Json& object, const std::string& label) {
  const Json labels = object["metadata"].value("labels", Json::object());
  const std::string name = labels.value(label, "");
  if (name.empty()) return std::nullopt;
  return Key{key_of(object).name_space, name};
}

std::unique_ptr<Informer> MakeInformers::of_kind(const Resource& resource) const {
  return std::make_unique<Informer>(
      connect, hooks, Informer::Settings{.resource = resource, .name_spaces = name_spaces},
      [enqueue = enqueue](const Json& object) { enqueue(key_of(object)); });
}

std::unique_ptr<Informer> MakeInformers::of_owned(const Resource& resource,
                                                  const std::string& label,
                                                  std::function<Json(Json)> keep) const {
  const auto owner = [label](const Json& object) { return key_in_label(object, label); };
  return std::make_unique<Informer>(connect, hooks,
                                    Informer::Settings{.resource = resource,
                                                       .name_spaces = name_spaces,
                                                       .selector = label,
                                                       .keep = std::move(keep),
                                                       .index = owner},
                                    [owner, enqueue = enqueue](const Json& object) {
                                      if (const auto it = owner(object)) enqueue(*it);
                                    });
}

std::unique_ptr<Informer> MakeInformers::of_others(
    Informer::Settings settings, std::function<void(const Json&)> on_change) const {
  return std::make_unique<Informer>(connect, hooks, std::move(settings), std::move(on_change));
}

}  // namespace ganscale::controller
