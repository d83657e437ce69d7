#include "planning/model/link.h"

#include <algorithm>
#include <array>
#include <ranges>

#include "base/error.h"
#include "base/joined.h"

namespace ganscale::planning {
namespace {

constexpr double kGiga = 1e9;
constexpr double kMicro = 1e-6;

// Bandwidths are nominal. Latencies of NVLink, PCIe and InfiniBand are those of a ring in NCCL's own
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

}  // namespace

std::span<const Link> links() { return kLinks; }

const Link& link_of_name(std::string_view name) {
  const auto found = std::ranges::find(kLinks, name, &Link::name);
  if (found != kLinks.end()) return *found;
  throw UsageError("no such link: " + std::string(name) +
                   " (known: " + joined(kLinks | std::views::transform(&Link::name)) + ")");
}

}  // namespace ganscale::planning
