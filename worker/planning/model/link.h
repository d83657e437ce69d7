#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ganscale::planning {

/// A kind of connection, by its maker's figures.
struct Link {
  std::string_view name;
  double bytes_per_second = 0;  ///< in one direction, of a GPU (inside a node) or of a port
  double latency_seconds = 0;   ///< of one hop of a collective: the alpha of alpha + bytes * beta
};

/// All known links: a line each.
std::span<const Link> links();

/// Returns a link by its name, such as "NVLink3". Throws UsageError with all names if there is none.
const Link& link_of_name(std::string_view name);

}  // namespace ganscale::planning
