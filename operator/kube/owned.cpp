#include "kube/owned.h"

#include "object/difference.h"
#include "object/lookup.h"

namespace ganscale::controller {
namespace {

/// Returns what is stored under a name, as far as needed to see its owner. Secrets are written and
/// never read: a patch that changes nothing returns the metadata of one.
std::optional<Json> look_up(Client& client, const Resource& resource, const Key& key) {
  return resource.plural == resource::kSecrets.plural ? client.metadata(resource, key)
                                                      : client.get(resource, key);
}

}  // namespace

NameTaken::NameTaken(const Resource& resource, const Key& key)
    : std::runtime_error("the name is taken: " + resource.plural + " " + key.text() +
                         " belongs to another owner and is left as it is; delete or rename it, or "
                         "choose another name") {}

void put_owned(Client& client, const Resource& resource, const Json& want,
               const std::function<void(const Json&)>& check) {
  try {
    client.create(resource, want);
    return;
  } catch (const ApiError& error) {
    if (error.code() != 409 || error.reason() != "AlreadyExists") throw;
  }
  const auto have = look_up(client, resource, key_of(want));
  if (!have) throw ApiError(409, "Conflict", "it has been deleted: " + key_of(want).text());
  if (check && is_owned_by(*have, controller_uid(want))) check(*have);
  apply_owned(client, resource, want, *have);
}

void apply_owned(Client& client, const Resource& resource, Json want, const Json& have) {
  if (!is_owned_by(have, controller_uid(want))) throw NameTaken(resource, key_of(want));
  want["metadata"]["uid"] = text_at(have, "/metadata/uid");  // the server refuses any other
  client.apply(resource, want);
}

std::optional<std::string> difference_of_owned(Json have, const Json& want) {
  const std::string ours = controller_uid(want);
  Json owners = list_at(have, "/metadata/ownerReferences");
  std::erase_if(owners.get_ref<Json::array_t&>(),
                [&](const Json& owner) { return text_at(owner, "/uid") != ours; });
  have["metadata"]["ownerReferences"] = std::move(owners);
  return first_difference(have, want);
}

}  // namespace ganscale::controller
