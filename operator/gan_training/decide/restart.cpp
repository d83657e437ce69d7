#include "gan_training/decide/restart.h"

#include <algorithm>
#include <array>

#include "base/error.h"

namespace ganscale::controller::gan_training {
namespace {

struct Meaning {
  ExitCode code;
  bool restart;
  const char* reason;
};

constexpr std::array<Meaning, 8> kMeanings{{
    {ExitCode::kUsage, false, "BadUsage"},
    {ExitCode::kData, false, "BadData"},
    {ExitCode::kBug, false, "WorkerBug"},
    {ExitCode::kConfig, false, "BadConfig"},
    {ExitCode::kFabric, true, kFabricBelowFloor},
    {ExitCode::kDevice, true, "DeviceFailed"},
    {ExitCode::kPeerLost, true, "PeerLost"},
    {ExitCode::kStopped, true, "Stopped"},
}};

}  // namespace

RestartDecision decide_restart(const Attempt& attempt) {
  const int code = attempt.exit_code.value_or(0);
  // A failed preflight does not repeat without end by itself: see decide/fabric.h.
  const bool counts =
      !attempt.disrupted && attempt.exit_code != static_cast<int>(ExitCode::kFabric);
  const std::string error = attempt.message.empty() ? "" : ": " + attempt.message;
  for (const Meaning& meaning : kMeanings) {
    if (code == static_cast<int>(meaning.code)) {
      return {meaning.restart, counts, meaning.reason, "exit code " + std::to_string(code) + error};
    }
  }
  if (!attempt.lost.empty()) return {true, counts, "WorkerLost", attempt.lost};
  if (code == 0) {
    return {true, counts, "LauncherLost", "the launcher ended without an exit code" + error};
  }
  return {false, counts, "WorkerFailed", "exit code " + std::to_string(code) + error};
}

std::chrono::seconds backoff(const RestartPolicy& policy, int restart) {
  constexpr int kMostDoublings = 20;
  const std::int64_t doubled = std::int64_t{policy.backoff_seconds}
                               << std::min(std::max(restart - 1, 0), kMostDoublings);
  return std::chrono::seconds(std::min<std::int64_t>(
      doubled, std::max(policy.max_backoff_seconds, policy.backoff_seconds)));
}

}  // namespace ganscale::controller::gan_training
