#pragma once

#include <string>

namespace ganscale::config {

/// Call it before YAML::LoadAll(), which otherwise never returns if a document begins with a comma:
/// it reads that document again and again, since it takes none of it.
///
/// Throws: YAML::ParserException for such a text, and for one that is not YAML.
void require_progress(const std::string& text);

}  // namespace ganscale::config
