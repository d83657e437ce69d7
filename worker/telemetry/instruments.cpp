#include "telemetry/instruments.h"

#include "wire/names.h"

namespace ganscale::telemetry {

using namespace wire::metric;  // NOLINT: the table is nothing but these names
using wire::label::kNetwork;
using wire::label::kPhase;
using I = Instruments;

namespace {

const std::vector<Instrument> kTable{
    {kImagesTotal, "", "Real images this rank has trained on since it started.", &I::images_total},
    {kImagesSeen, "", "Real images all ranks have trained on, across restarts.", &I::images_seen},
    {kImagesGoal, "", "Real images after which the run ends.", &I::images_goal},
    {kSecondsPerKimg, "", "Seconds per 1000 images of the run, over the latest tick.",
     &I::seconds_per_kimg},
    {kStepSeconds, "", "Duration of a training step in seconds.", &I::step_seconds},
    {kPhaseSecondsTotal, kPhase,
     "Seconds that the host spent in each phase of a step; on a GPU, launching it.",
     &I::phase_seconds_total},
    {kAllreduceSecondsTotal, "",
     "Seconds spent all-reducing gradients, overlapped with the backward pass or not.",
     &I::allreduce_seconds_total},
    {kAllreduceBytesTotal, "", "Bytes of gradients this rank has all-reduced.",
     &I::allreduce_bytes_total},
    {kDataWaitSecondsTotal, "", "Seconds this rank waited for the next batch.",
     &I::data_wait_seconds_total},
    {kPrefetchDepth, "", "Batches the prefetcher may keep ready.", &I::prefetch_depth},
    {kPrefetchBytes, "", "Bytes of the batches that are ready or being read.", &I::prefetch_bytes},
    {kReaderThreads, "", "Threads that read and decode records.", &I::reader_threads},
    {kReadMedianSeconds, "", "Median time of a read from storage, over the latest window.",
     &I::read_median_seconds},
    {kReadTailSeconds, "",
     "95th percentile of the time of a read from storage, over the latest window.",
     &I::read_tail_seconds},
    {kReadCalmTailSeconds, "",
     "95th percentile of the time of a read while storage is not congested.",
     &I::read_calm_tail_seconds},
    {kStorageCongested, "", "1 while reads from storage take far longer than usual, otherwise 0.",
     &I::storage_congested},
    {kCongestionsTotal, "", "Times that storage became congested.", &I::congestions_total},
    {kRepeatedReadsTotal, "", "Reads retried after a transient error.", &I::repeated_reads_total},
    {kCachedReadsTotal, "", "Records read from the node's cache.", &I::cached_reads_total},
    {kCachedBytes, "", "Bytes of records in this rank's cache.", &I::cached_bytes},
    {kStalenessSteps, "", "Age in steps of the other role's weights or images when they are used.",
     &I::staleness_steps},
    {kRoleWaitSecondsTotal, kNetwork,
     "Seconds this rank waited for the other role, by the network it trains.",
     &I::role_wait_seconds_total},
    {kLoss, kNetwork, "Mean loss over the steps of the latest tick.", &I::loss},
    {kNonfiniteTotal, kPhase, "Steps whose loss or gradient was NaN or infinite.",
     &I::nonfinite_total},
    {kFid, "", "Frechet inception distance of the latest evaluation.", &I::fid},
    {kInceptionScore, "", "Inception score of the latest evaluation.", &I::inception_score},
    {kAugmentP, "", "Current augmentation probability of ADA.", &I::augment_p},
    {kCheckpointSeconds, "", "Seconds the latest checkpoint took to write.",
     &I::checkpoint_seconds},
    {kCheckpointFailuresTotal, "", "Checkpoints that could not be written.",
     &I::checkpoint_failures_total},
    {kCheckpointLastSuccess, "",
     "Unix time at which the latest checkpoint was complete; until an attempt has written one, the "
     "time at which it began to train.",
     &I::checkpoint_last_success_timestamp_seconds},
    {kGpuMemoryBytes, "", "GPU memory allocated by the rank's process at the latest tick.",
     &I::gpu_memory_bytes},
    {kMemlockTooSmall, "",
     "1 if there are RDMA devices but this rank may not lock the memory they need; NCCL then uses "
     "TCP.",
     &I::memlock_too_small},
    {kWorldSize, "", "Number of ranks of the training.", &I::world_size},
};

}  // namespace

const std::vector<Instrument>& instrument_table() { return kTable; }

}  // namespace ganscale::telemetry
