#pragma once

#include <memory>
#include <string>
#include <vector>

#include "object/json.h"

namespace ganscale::controller::gan_training {

/// Knows what configuration the worker accepts, by the JSON schema that `ganscale config-schema`
/// prints.
class WorkerSchema {
 public:
  /// Throws ConfigError if `schema` is not a JSON schema.
  explicit WorkerSchema(const std::string& schema);
  ~WorkerSchema();

  /// Returns why the worker would refuse `config`, one line per fault with its key; empty if it
  /// would not.
  std::vector<std::string> faults(const Json& config) const;

 private:
  struct Rules;
  std::unique_ptr<Rules> rules_;
};

}  // namespace ganscale::controller::gan_training
