#pragma once

#include <c10/core/Device.h>

#include <optional>

#include "base/enum_names.h"
#include "comm/group/group.h"
#include "comm/preflight/verdict.h"
#include "wire/preflight.h"

namespace ganscale::training {

/// Whether a training begins with a preflight of the network, and what follows from a bad result.
enum class PreflightMode {
  kOff,
  kWarn,     ///< a warning
  kRequire,  ///< FabricError
};

inline constexpr EnumNames<PreflightMode, 3> kPreflightModes{
    {{PreflightMode::kOff, "off"},
     {PreflightMode::kWarn, "warn"},
     {PreflightMode::kRequire, "require"}}};

/// Whether to run a preflight, and what it must find.
struct PreflightOptions {
  PreflightMode mode = PreflightMode::kOff;
  comm::FabricRequirements required = {};
};

/// Measures the network between the ranks and counts the HCAs of their nodes, if that is wanted and
/// there is anything to require of them.
///
/// own:    of this rank; rank 0's counts, as the environment of a node may say something else.
/// device: of this rank's tensors.
/// Throws: FabricError on all ranks.
std::optional<wire::Preflight> try_fabric(comm::Group& group, c10::Device device,
                                          const PreflightOptions& own);

}  // namespace ganscale::training
