#pragma once

#include <map>
#include <string>

#include "object/event.h"
#include "object/json.h"
#include "object/key.h"

namespace ganscale::controller {

using Labels = std::map<std::string, std::string>;

/// Returns the labels of every object of a resource. `label`: the one that names the resource.
Labels owned_labels(const Key& owner, const std::string& label);

/// Returns metadata with name, the owner's namespace, owned_labels(), and the owner as the
/// controller of the object.
Json owned_metadata(const ObjectReference& owner, const std::string& label,
                    const std::string& name);

}  // namespace ganscale::controller
