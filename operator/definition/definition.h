#pragma once

#include <string>
#include <vector>

#include "definition/rules.h"
#include "object/json.h"

namespace ganscale::controller {

/// A CustomResourceDefinition: what the API server accepts of a kind.
class Definition {
 public:
  /// Throws ConfigError for a schema with a keyword, or a rule with a part of CEL, that is unknown
  /// here.
  explicit Definition(const Json& definition);

  const std::string& kind() const { return kind_; }
  const RuleTree& rules() const { return rules_; }

  /// Returns why `kubectl apply` of an object would be refused, one line per fault with its path;
  /// empty if it would not. As in the API server, rules are checked once the schema is satisfied,
  /// and the object's status does not count.
  ///
  /// old: the object as it is stored, with its status; null if it is new.
  std::vector<std::string> faults(Json object, const Json& old = nullptr) const;

 private:
  std::string kind_;
  std::string api_version_;
  Json schema_;
  RuleTree rules_;
};

/// Returns the definitions in operator-manifests/crd that this program was built with.
std::vector<Definition> built_in_definitions();

}  // namespace ganscale::controller
