#pragma once

#include <functional>
#include <string>
#include <vector>

#include "object/json.h"

namespace ganscale::controller {

/// Calls visit() with each schema directly within a schema: of its fields with their names, and
/// of other fields or items with an empty one.
void for_each_inner_schema(const Json& schema,
                           const std::function<void(const std::string&, const Json&)>& visit);

/// Throws ConfigError for a keyword that the functions below do not know, anywhere in a structural
/// schema (OpenAPI v3, as Kubernetes restricts it).
void require_known_keywords(const Json& schema);

/// Returns a value as the API server takes it: without the nulls of fields that the schema knows,
/// and with the schema's defaults.
Json with_defaults(Json value, const Json& schema);

/// Returns how a value breaks the schema, one line per fault with its path below `path`; a field
/// that the schema does not know is one, as for `kubectl apply`.
std::vector<std::string> schema_faults(const Json& value, const Json& schema,
                                       const std::string& path);

}  // namespace ganscale::controller
