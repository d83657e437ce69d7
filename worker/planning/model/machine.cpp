#include "planning/model/machine.h"

#include <algorithm>
#include <array>
#include <ranges>
#include <vector>

#include "base/error.h"
#include "base/joined.h"
#include "cost/device_table.h"

namespace ganscale::planning {
namespace {

constexpr double kGiga = 1e9;
constexpr double kMicro = 1e-6;
constexpr int kMostGpusPerNode = 1 << 16;  // an int holds the GPUs of as many nodes as a plan has

// Bandwidths are nominal. Latencies of NVLink, PCIe and InfiniBand are those of a ring in NCCL's
// model (src/graph/tuning.cc, simple protocol); the others are estimates.
constexpr std::array<Link, 15> kLinks = {{
    {"NVLink2", 150 * kGiga, 3.4 * kMicro},  // six links of 25 GB/s on a V100
    {"NVLink3", 300 * kGiga, 3.4 * kMicro},  // twelve on an A100
    {"NVLink4", 450 * kGiga, 3.4 * kMicro},  // eighteen on an H100
    {"PCIe3", 16 * kGiga, 5.7 * kMicro},     // sixteen lanes
    {"PCIe4", 32 * kGiga, 5.7 * kMicro},
    {"PCIe5", 64 * kGiga, 5.7 * kMicro},
    {"EDR", 12.5 * kGiga, 14 * kMicro},  // InfiniBand
    {"HDR100", 12.5 * kGiga, 14 * kMicro},
    {"HDR", 25 * kGiga, 14 * kMicro},
    {"NDR", 50 * kGiga, 14 * kMicro},
    {"Ethernet10", 1.25 * kGiga, 50 * kMicro},
    {"Ethernet25", 3.125 * kGiga, 50 * kMicro},
    {"Ethernet100", 12.5 * kGiga, 50 * kMicro},
    {"ICI3", 82 * kGiga, 2 * kMicro},  // a link of the torus between TPU v3: 656 Gbit/s
    {"memory", 4 * kGiga,
     10 * kMicro},  // processes of a CPU: a copy into shared memory and one out
}};

Link parse_link(config::Section& in, std::string_view key, const std::string& fallback,
                std::string_view documentation) {
  std::vector<std::string> names;
  for (const Link& link : links()) names.emplace_back(link.name);
  return link_of_name(in.get_choice(key, fallback, names, documentation));
}

}  // namespace

std::span<const Link> links() { return kLinks; }

const Link& link_of_name(std::string_view name) {
  const auto found = std::ranges::find(kLinks, name, &Link::name);
  if (found != kLinks.end()) return *found;
  throw UsageError("no such link: " + std::string(name) +
                   " (known: " + joined(kLinks | std::views::transform(&Link::name)) + ")");
}

int Machine::nodes_of(int gpus) const {
  if (gpus <= gpus_per_node) return gpus > 0 ? 1 : 0;
  return gpus % gpus_per_node == 0 ? gpus / gpus_per_node : 0;
}

std::span<const Machine> machines() {
  static const std::vector<Machine> kMachines = {
      // NVIDIA's DGX-1 of the StyleGAN papers, by itself or with four ports of EDR
      {"dgx-1", "V100", 8, link_of_name("NVLink2"), link_of_name("EDR"), 4},
      // CSC's Puhti-AI: two rails
      {"puhti-v100", "V100", 4, link_of_name("NVLink2"), link_of_name("HDR100"), 2},
      // Oak Ridge's Summit: two sockets with three GPUs each, two rails
      {"summit-v100", "V100", 6, link_of_name("NVLink2"), link_of_name("EDR"), 2},
      {"dgx-a100", "A100", 8, link_of_name("NVLink3"), link_of_name("HDR"), 8},
      // NVIDIA's cluster of DGX A100
      {"selene", "A100", 8, link_of_name("NVLink3"), link_of_name("HDR"), 8},
      {"dgx-h100", "H100", 8, link_of_name("NVLink4"), link_of_name("NDR"), 8},
      {"hgx-h200", "H200", 8, link_of_name("NVLink4"), link_of_name("NDR"), 8},
      // A host with four chips of two cores; two links of each of two edges leave it
      {"tpu-v3", "TPU-v3", 8, link_of_name("ICI3"), link_of_name("ICI3"), 4},
      {"cpu", "CPU-core", 2, link_of_name("memory"), link_of_name("Ethernet10"), 1},
  };
  return kMachines;
}

const Machine& machine_of_name(std::string_view name) {
  const auto found = std::ranges::find(machines(), name, &Machine::name);
  if (found != machines().end()) return *found;
  throw UsageError("no such machine: " + std::string(name) +
                   " (known: " + joined(machines() | std::views::transform(&Machine::name)) + ")");
}

Machine parse_machine(config::Section in) {
  std::vector<std::string> devices;
  for (const cost::Device& device : cost::devices()) devices.emplace_back(device.name);
  Machine machine;
  machine.name = in.get("name", "my machine", "name in the report");
  machine.device = in.get_choice("device", "A100", devices, "device of a rank");
  machine.gpus_per_node = in.get("gpus_per_node", 8, "devices per node");
  machine.inside = parse_link(in, "inside", "NVLink3", "link between the devices of a node");
  machine.between = parse_link(in, "between", "HDR", "link between nodes");
  machine.ports = in.get("ports", 1, "such links per node");
  in.require(machine.gpus_per_node >= 1, "gpus_per_node", "must be at least 1");
  in.require(machine.gpus_per_node <= kMostGpusPerNode, "gpus_per_node",
             "must be at most " + std::to_string(kMostGpusPerNode));
  in.require(machine.ports >= 1, "ports", "must be at least 1");
  in.reject_unread_keys();
  return machine;
}

}  // namespace ganscale::planning
