#pragma once

#include <memory>
#include <string>
#include <vector>

#include "object/json.h"

namespace ganscale::controller::gan_training {

/// Knows what keys and values the worker takes, by the JSON schema that `ganscale config-schema`
/// prints.
class WorkerSchema {
 public:
  /// Throws ConfigError if `schema` is not a JSON schema.
  explicit WorkerSchema(const std::string& schema);
  ~WorkerSchema();

  /// Returns what the worker is known to refuse in `config`, one line per fault with its key. It may
  /// refuse more: the schema does not have all that it checks.
  std::vector<std::string> faults(const Json& config) const;

 private:
  struct Rules;
  std::unique_ptr<Rules> rules_;
};

}  // namespace ganscale::controller::gan_training
