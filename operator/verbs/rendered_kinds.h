#pragma once

#include <string>
#include <vector>

#include "object/json.h"
#include "verbs/sources.h"

namespace ganscale::controller {

/// What documents of a file are checked against.
struct RenderContext {
  const NodeProfiles& profiles;
  const WorkerSchema& schema;
  std::string config;              ///< what spec.configFrom refers to, as YAML; empty: not known
  std::string operator_namespace;  ///< that NetworkPolicies admit
};

/// The result of a document.
struct Rendering {
  std::vector<std::string> remarks;  ///< what no object shows
  std::vector<Json> objects;
};

/// A kind that `render` and `validate` know. Both functions throw ConfigError, with the key, for a
/// document that the operator would refuse.
struct RenderedKind {
  std::string kind;
  /// Returns every object that a document becomes.
  Rendering (*render)(const Json& document, const RenderContext& context);
  /// Describes a document in one line.
  std::string (*describe)(const Json& document, const RenderContext& context);
};

RenderedKind rendered_training();
RenderedKind rendered_sweep();

/// Returns the table of kinds, a line each.
inline std::vector<RenderedKind> rendered_kinds() {
  return {
      rendered_training(),
      rendered_sweep(),
  };
}

}  // namespace ganscale::controller
