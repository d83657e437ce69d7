#pragma once

#include <string>
#include <utility>
#include <vector>

#include "config/node.h"

namespace ganscale::config {

/// Returns a value as one line: lists in brackets, maps in braces.
std::string text_of(const Node& node);

/// Returns each value that is not a map with its dotted key, as text_of() it.
std::vector<std::pair<std::string, std::string>> leaves_of(const Node& root);

/// Returns each key whose value differs between two configurations, in the order of the newer one:
/// "training.batch: 32 -> 64". A key that one of them lacks has "none" there.
std::vector<std::string> differences(const Node& before, const Node& now);

}  // namespace ganscale::config
