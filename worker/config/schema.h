#pragma once

#include <functional>
#include <string>
#include <vector>

#include "config/section.h"

namespace ganscale::config {

/// Returns every key that `parse` can ask for, in order, with the default it has first.
///
/// Which keys there are may depend on a choice (an optimizer's, a model's), so each word of each
/// choice is tried. An error of a trial, such as a resolution that a model lacks, is no error here.
std::vector<Entry> all_entries(const std::function<void(Section)>& parse);

/// Writes a JSON schema (draft 7) that accepts what is made of these keys and nothing else.
std::string to_json_schema(const std::vector<Entry>& entries);

}  // namespace ganscale::config
