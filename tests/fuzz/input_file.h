#pragma once

#include <string>

#include "fuzz/target.h"
#include "support/temporary_folder.h"

namespace ganscale::fuzz {

/// Writes the input to a file of that name, in a folder that all inputs share, and returns its path.
inline std::filesystem::path file_of(Bytes input, const std::string& name) {
  static const TemporaryFolder folder;
  return folder.write(name, text_of(input));
}

}  // namespace ganscale::fuzz
