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
    {kImagesSeen, "", "Real images all ranks have trained on, over all restarts.", &I::images_seen},
    {kImagesGoal, "", "Real images after which the run is done.", &I::images_goal},
    {kSecondsPerKimg, "", "Seconds the run takes for 1000 images, of the latest tick.",
     &I::seconds_per_kimg},
    {kStepSeconds, "", "Seconds of one training step.", &I::step_seconds},
    {kPhaseSecondsTotal, kPhase, "Seconds spent in each phase of a step.", &I::phase_seconds_total},
    {kAllreduceSecondsTotal, "",
     "Seconds gradients were on their way, hidden behind the backward pass or not.",
     &I::allreduce_seconds_total},
    {kAllreduceBytesTotal, "", "Bytes of gradients this rank gave to all-reduce.",
     &I::allreduce_bytes_total},
    {kDataWaitSecondsTotal, "", "Seconds this rank waited for the next batch.",
     &I::data_wait_seconds_total},
    {kPrefetchDepth, "", "Batches the prefetcher may hold ready.", &I::prefetch_depth},
    {kPrefetchBytes, "", "Bytes of the batches that are ready or being read.", &I::prefetch_bytes},
    {kReaderThreads, "", "Threads that read and decode records.", &I::reader_threads},
    {kReadMedianSeconds, "", "Median time of a read from storage, of the latest window.",
     &I::read_median_seconds},
    {kReadTailSeconds, "", "95 of 100 reads from storage take no longer, of the latest window.",
     &I::read_tail_seconds},
    {kReadCalmTailSeconds, "", "The same while storage is not congested.",
     &I::read_calm_tail_seconds},
    {kStorageCongested, "", "1: reads from storage take far longer than usual.",
     &I::storage_congested},
    {kCongestionsTotal, "", "How often storage became congested.", &I::congestions_total},
    {kRepeatedReadsTotal, "", "Reads that failed for a passing reason and were repeated.",
     &I::repeated_reads_total},
    {kCachedReadsTotal, "", "Records read from the cache of the node.", &I::cached_reads_total},
    {kCachedBytes, "", "Bytes of records in this rank's cache.", &I::cached_bytes},
    {kStalenessSteps, "", "Age, in steps, of the weights or images used from the other role.",
     &I::staleness_steps},
    {kRoleWaitSecondsTotal, kNetwork,
     "Seconds this rank waited for the other role, by the network that it trains.",
     &I::role_wait_seconds_total},
    {kLoss, kNetwork, "Loss of the latest tick, mean over its steps.", &I::loss},
    {kNonfiniteTotal, kPhase, "Steps whose loss or gradient was NaN or infinite.",
     &I::nonfinite_total},
    {kFid, "", "Frechet inception distance of the latest evaluation.", &I::fid},
    {kInceptionScore, "", "Inception score of the latest evaluation.", &I::inception_score},
    {kAugmentP, "", "Probability of augmentation that ADA has reached.", &I::augment_p},
    {kCheckpointSeconds, "", "Seconds the latest checkpoint took to write.",
     &I::checkpoint_seconds},
    {kCheckpointFailuresTotal, "", "Checkpoints that could not be written.",
     &I::checkpoint_failures_total},
    {kCheckpointLastSuccess, "", "When the latest checkpoint was complete, Unix time.",
     &I::checkpoint_last_success_timestamp_seconds},
    {kGpuMemoryBytes, "", "GPU memory allocated by this rank at the latest tick.",
     &I::gpu_memory_bytes},
    {kMemlockTooSmall, "",
     "1: there are RDMA devices, and this rank may not lock the memory they need; NCCL then uses "
     "TCP.",
     &I::memlock_too_small},
    {kWorldSize, "", "Ranks of the training.", &I::world_size},
};

}  // namespace

const std::vector<Instrument>& instrument_table() { return kTable; }

}  // namespace ganscale::telemetry
