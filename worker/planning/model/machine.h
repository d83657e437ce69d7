#pragma once

#include <span>
#include <string>
#include <string_view>

#include "config/section.h"

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

/// A cluster of equal nodes.
struct Machine {
  std::string name;
  std::string device;  ///< of cost::devices()
  int gpus_per_node = 1;
  Link inside;    ///< between the GPUs of a node
  Link between;   ///< a port of a node to the others
  int ports = 1;  ///< of a node; all of them carry an all-reduce

  double bytes_per_second_of_node() const { return ports * between.bytes_per_second; }
  /// Returns how many nodes these GPUs fill, or 0 if they do not fill whole ones. Fewer than a
  /// node has are one node.
  int nodes_of(int gpus) const;
};

/// The machines that are known by name: a line each.
std::span<const Machine> machines();

/// Returns a machine by its name, such as "dgx-a100". Throws UsageError with all names.
const Machine& machine_of_name(std::string_view name);

/// Reads a machine that is in no table:
///
///   name: lab
///   device: A100
///   gpus_per_node: 4
///   inside: PCIe4
///   between: Ethernet25
///   ports: 2
///
/// Throws ConfigError with file, line and key.
Machine parse_machine(config::Section in);

}  // namespace ganscale::planning
