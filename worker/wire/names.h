#pragma once

#include <array>
#include <string_view>

/// Names shared by worker, operator, dashboards and alerts.
namespace ganscale::wire {

namespace metric {
inline constexpr const char* kImagesTotal = "ganscale_images_total";
inline constexpr const char* kImagesSeen = "ganscale_images_seen";
inline constexpr const char* kImagesGoal = "ganscale_images_goal";
inline constexpr const char* kSecondsPerKimg = "ganscale_seconds_per_kimg";
inline constexpr const char* kStepSeconds = "ganscale_step_seconds";
inline constexpr const char* kPhaseSecondsTotal = "ganscale_phase_seconds_total";
inline constexpr const char* kAllreduceSecondsTotal = "ganscale_allreduce_seconds_total";
inline constexpr const char* kAllreduceBytesTotal = "ganscale_allreduce_bytes_total";
inline constexpr const char* kDataWaitSecondsTotal = "ganscale_data_wait_seconds_total";
inline constexpr const char* kPrefetchDepth = "ganscale_prefetch_depth";
inline constexpr const char* kPrefetchBytes = "ganscale_prefetch_bytes";
inline constexpr const char* kReaderThreads = "ganscale_reader_threads";
inline constexpr const char* kReadMedianSeconds = "ganscale_read_median_seconds";
inline constexpr const char* kReadTailSeconds = "ganscale_read_tail_seconds";
inline constexpr const char* kReadCalmTailSeconds = "ganscale_read_calm_tail_seconds";
inline constexpr const char* kStorageCongested = "ganscale_storage_congested";
inline constexpr const char* kCongestionsTotal = "ganscale_congestions_total";
inline constexpr const char* kRepeatedReadsTotal = "ganscale_repeated_reads_total";
inline constexpr const char* kCachedReadsTotal = "ganscale_cached_reads_total";
inline constexpr const char* kCachedBytes = "ganscale_cached_bytes";
inline constexpr const char* kStalenessSteps = "ganscale_staleness_steps";
inline constexpr const char* kRoleWaitSecondsTotal = "ganscale_role_wait_seconds_total";
inline constexpr const char* kLoss = "ganscale_loss";
inline constexpr const char* kNonfiniteTotal = "ganscale_nonfinite_total";
inline constexpr const char* kFid = "ganscale_fid";
inline constexpr const char* kInceptionScore = "ganscale_inception_score";
inline constexpr const char* kAugmentP = "ganscale_augment_p";
inline constexpr const char* kCheckpointSeconds = "ganscale_checkpoint_seconds";
inline constexpr const char* kCheckpointFailuresTotal = "ganscale_checkpoint_failures_total";
inline constexpr const char* kCheckpointLastSuccess =
    "ganscale_checkpoint_last_success_timestamp_seconds";
inline constexpr const char* kGpuMemoryBytes = "ganscale_gpu_memory_bytes";
inline constexpr const char* kMemlockTooSmall = "ganscale_memlock_too_small";
inline constexpr const char* kWorldSize = "ganscale_world_size";
inline constexpr const char* kBuildInfo = "ganscale_build_info";
inline constexpr const char* kResidentMemoryBytes = "process_resident_memory_bytes";
inline constexpr const char* kCpuSecondsTotal = "process_cpu_seconds_total";
}  // namespace metric

namespace label {
inline constexpr const char* kRun = "run";
inline constexpr const char* kRank = "rank";
inline constexpr const char* kNetwork = "network";
inline constexpr const char* kPhase = "phase";
}  // namespace label

/// HTTP paths that rank 0 serves.
namespace path {
inline constexpr const char* kStatus = "/status";
inline constexpr const char* kCommands = "/commands";
inline constexpr const char* kHealth = "/healthz";
inline constexpr const char* kReady = "/readyz";
}  // namespace path

inline constexpr int kDefaultMetricsPort = 9400;
inline constexpr int kDefaultControlPort = 9401;

/// Environment variables that the operator sets for a worker.
namespace environment {
/// The number of ranks of the job. The worker refuses to start with any other.
inline constexpr const char* kExpectedWorldSize = "GANSCALE_EXPECTED_WORLD_SIZE";
/// How often this training was restarted before; see JobStatus::restarts.
inline constexpr const char* kRestarts = "GANSCALE_RESTARTS";
/// Which attempt of which training this is, UID/NUMBER: a later one may take the run folder over.
inline constexpr const char* kAttempt = "GANSCALE_ATTEMPT";
/// If set, rank 0 prints its last status when it ends: a line that starts with kLastStatus.
inline constexpr const char* kLeaveStatus = "GANSCALE_LEAVE_STATUS";
/// What `train` does before anything else: off, warn or require; see its option --preflight.
inline constexpr const char* kPreflight = "GANSCALE_PREFLIGHT";
/// The least bus bandwidth in GB/s, and the HCAs of a node, that the preflight requires.
inline constexpr const char* kPreflightFloor = "GANSCALE_PREFLIGHT_FLOOR";
inline constexpr const char* kPreflightHcas = "GANSCALE_PREFLIGHT_HCAS";
/// All of them: mpirun passes them on, and a podTemplate can't set them.
inline constexpr std::array<std::string_view, 7> kAll{
    kExpectedWorldSize, kRestarts,       kAttempt,      kLeaveStatus,
    kPreflight,         kPreflightFloor, kPreflightHcas};
}  // namespace environment

/// Prefix of the line with the last status, a JobStatus as JSON. The launcher's pod keeps it as its
/// termination message.
inline constexpr const char* kLastStatus = "ganscale: last status: ";

/// Prefix of the line with the result of a preflight, a Preflight as JSON.
inline constexpr const char* kPreflight = "ganscale: preflight: ";

}  // namespace ganscale::wire
