#pragma once

#include <string>
#include <vector>

#include "config/node.h"

namespace ganscale::config {

/// Returns a value as one line: lists in brackets, maps in braces.
std::string text_of(const Node& node);

/// Returns each key whose value differs between two configurations, in the order of the newer one:
/// "training.batch: 32 -> 64". A key that one of them lacks has "none" there.
std::vector<std::string> differences(const Node& before, const Node& now);

}  // namespace ganscale::config
