#pragma once

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

#include "kube/client.h"

namespace ganscale::controller {

/// An object of another owner has the name that one of ours needs. It is left as it is.
class NameTaken : public std::runtime_error {
 public:
  NameTaken(const Resource& resource, const Key& key);
};

/// Creates an object. If one of its name exists, it is applied by force if it has the controller of
/// `want`: our copy of the cluster may be stale. Throws NameTaken otherwise, and as Client does.
///
/// check: called with the one that exists, which it may throw to leave as it is.
void put_owned(Client& client, const Resource& resource, const Json& want,
               const std::function<void(const Json& have)>& check = {});

/// Applies an object by force over `have`, which is our copy of it. Throws NameTaken if that has
/// another controller than `want`, and ApiError if another object has replaced it.
void apply_owned(Client& client, const Resource& resource, Json want, const Json& have);

/// Returns first_difference() of an object that is there from what we want of it. Other owners than
/// ours don't count: an apply lets them stay.
std::optional<std::string> difference_of_owned(Json have, const Json& want);

}  // namespace ganscale::controller
