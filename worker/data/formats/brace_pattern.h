#pragma once

#include <string>
#include <vector>

namespace ganscale::data {

/// Returns the names that a pattern stands for, as in a shell and in WebDataset: `a-{000..002}.tar`
/// has numbers, with as many digits, and `{train,test}.tar` a list. Without braces, the pattern itself.
///
/// Throws: DataError for braces that are neither, a range that runs backward, more than 100,000
///         names, and a pattern of more than 64 KiB.
std::vector<std::string> expand_braces(const std::string& pattern);

}  // namespace ganscale::data
