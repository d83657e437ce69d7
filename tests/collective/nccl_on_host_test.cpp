// What stands in for NCCL notices the mistakes that it is there for.
#include <ATen/ATen.h>
#include <c10/cuda/CUDAStream.h>
#include <gmock/gmock.h>
#include <nccl.h>

#include "collective/nccl_ranks.h"
#include "support/host_gpu/gpu_tensors.h"

namespace ganscale::comm {
namespace {

using host_gpu::on_gpu;
using host_gpu::take_mistakes;
using testing::ElementsAre;
using testing::HasSubstr;

/// The communicator of a single rank.
ncclComm_t open_communicator() {
  c10::cuda::set_device(0);
  ncclUniqueId id{};
  ncclComm_t comm = nullptr;
  EXPECT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  EXPECT_EQ(ncclCommInitRank(&comm, 1, id, 0), ncclSuccess);
  return comm;
}

ncclResult_t add_up(ncclComm_t comm, at::DeviceIndex device = 0) {
  float number = 1;
  const auto stream = c10::cuda::getStreamFromPool(/*isHighPriority=*/false, device);
  const auto result =
      ncclAllReduce(&number, &number, 1, ncclFloat32, ncclSum, comm, stream.stream());
  stream.synchronize();
  return result;
}

TEST(NcclOnHost, TakesACommunicatorThroughItsLife) {
  ncclComm_t comm = open_communicator();
  EXPECT_EQ(add_up(comm), ncclSuccess);
  EXPECT_EQ(ncclCommFinalize(comm), ncclSuccess);
  EXPECT_EQ(ncclCommDestroy(comm), ncclSuccess);
  expect_no_mistakes();
}

TEST(NcclOnHost, NoticesACommunicatorThatIsLeaked) {
  open_communicator();
  EXPECT_EQ(host_gpu::abort_open_communicators(), 1);
  expect_no_mistakes();
}

TEST(NcclOnHost, NoticesACommunicatorThatIsEndedTwice) {
  ncclComm_t comm = open_communicator();
  ncclCommFinalize(comm);
  ncclCommDestroy(comm);
  EXPECT_EQ(ncclCommDestroy(comm), ncclInvalidUsage);
  EXPECT_EQ(ncclCommAbort(comm), ncclInvalidUsage);
  EXPECT_THAT(take_mistakes(),
              ElementsAre("ncclCommDestroy of a communicator that is destroyed, on rank 0",
                          "ncclCommAbort of a communicator that is destroyed, on rank 0"));
}

TEST(NcclOnHost, NoticesACommunicatorThatIsDestroyedButNotFinalized) {
  ncclComm_t comm = open_communicator();
  EXPECT_EQ(ncclCommDestroy(comm), ncclInvalidUsage);
  EXPECT_THAT(take_mistakes(), ElementsAre(HasSubstr("ncclCommDestroy")));
  ncclCommAbort(comm);
}

TEST(NcclOnHost, NoticesOperationsAfterAnAbort) {
  ncclComm_t comm = open_communicator();
  EXPECT_EQ(ncclCommAbort(comm), ncclSuccess);
  EXPECT_EQ(add_up(comm), ncclInvalidUsage);
  EXPECT_THAT(take_mistakes(),
              ElementsAre("ncclAllReduce of a communicator that is aborted, on rank 0"));
}

TEST(NcclOnHost, NoticesTheStreamOfAnotherDevice) {
  ncclComm_t comm = open_communicator();
  EXPECT_EQ(add_up(comm, 1), ncclInvalidUsage);
  EXPECT_THAT(take_mistakes(), ElementsAre(HasSubstr("another device")));
  ncclCommAbort(comm);
}

TEST(NcclOnHost, NoticesRanksThatDisagreeAboutTheCount) {
  run_gpus(2, [](Group& group, at::Device gpu) {
    group.all_reduce_sum(on_gpu(at::ones({3}), gpu));
    group.all_reduce_sum(on_gpu(at::ones({3 + group.rank()}), gpu));
  });
  EXPECT_THAT(take_mistakes(), ElementsAre(HasSubstr("collective 2 of rank")));
}

TEST(NcclOnHost, NoticesRanksThatDisagreeAboutTheOperation) {
  run_gpus(2, [](Group& group, at::Device gpu) {
    const auto data = on_gpu(at::ones({3}), gpu);
    group.rank() == 0 ? group.all_reduce_sum(data) : group.all_reduce_max(data);
  });
  EXPECT_THAT(take_mistakes(), ElementsAre(HasSubstr("ncclAllReduce of 3 elements")));
}

TEST(NcclOnHost, NoticesTwoRanksOnOneGpu) {
  ncclUniqueId id{};
  ncclGetUniqueId(&id);
  run_ranks(2, [&](Group& threads) {
    c10::cuda::set_device(3);
    ncclComm_t comm = nullptr;
    if (ncclCommInitRank(&comm, 2, id, threads.rank()) == ncclInvalidUsage) host_gpu::lose(3);
  });
  EXPECT_THAT(take_mistakes(), ElementsAre("ncclCommInitRank of two ranks on device 3"));
}

}  // namespace
}  // namespace ganscale::comm
