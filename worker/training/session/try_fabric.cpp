#include "training/session/try_fabric.h"

#include "base/error.h"
#include "base/log.h"
#include "comm/collectives/numbers.h"
#include "comm/preflight/preflight.h"

namespace ganscale::training {
namespace {

PreflightMode mode_of_rank_0(comm::Group& group, PreflightMode own) {
  auto mode = static_cast<std::int64_t>(own);
  comm::broadcast_from_rank_0(group, {&mode});
  return static_cast<PreflightMode>(mode);
}

}  // namespace

std::optional<wire::Preflight> try_fabric(comm::Group& group, c10::Device device,
                                          const PreflightOptions& own) {
  const PreflightMode mode = mode_of_rank_0(group, own.mode);
  const bool has_network = group.size() > 1 || own.required.hcas > 0;
  if (mode == PreflightMode::kOff || !has_network) return std::nullopt;
  auto result = comm::run_preflight(group, device, own.required);
  if (result.passed()) return result;
  if (mode == PreflightMode::kRequire) throw FabricError(result.message);
  if (group.rank() == 0) {
    log::warning("The preflight failed, and the training begins nevertheless",
                 {{"reason", result.message}});
  }
  return result;
}

}  // namespace ganscale::training
