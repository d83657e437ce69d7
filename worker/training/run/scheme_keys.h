#pragma once

#include <any>
#include <string>

#include "config/section.h"

namespace ganscale::training {

struct RunConfig;

/// How the ranks work together: the section `scheme`.
struct SchemeConfig {
  std::string name;
  std::any options;  ///< what this scheme alone reads there
};

/// What the reader of a configuration must know of a scheme; the table of schemes has the rest.
struct SchemeKeys {
  std::string name;
  std::string description;  ///< one line, for the documentation of scheme.name
  /// Reads the keys of this scheme alone. Those of all schemes are read, whichever is chosen.
  std::any (*parse)(config::Section& in);
  /// Checks what the other sections say under this scheme; root: of the whole configuration.
  /// Throws ConfigError with file, line and key.
  void (*check)(const config::Section& root, const RunConfig& config);
};

}  // namespace ganscale::training
