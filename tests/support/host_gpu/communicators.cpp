#include "support/host_gpu/communicators.h"

#include <nccl.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>

#include "support/host_gpu/combine.h"
#include "support/host_gpu/operation.h"
#include "support/host_gpu/runtime.h"

namespace ganscale::host_gpu {
namespace {

/// A collective that a rank has called and not all have reached.
struct Collective {
  Operation first;               // of the ranks' calls
  std::vector<Operation> calls;  // by rank, of those that have reached it
  int reached = 0;
  bool is_complete = false;
};

/// The communicators of all ranks.
struct SharedState {
  int size = 0;
  std::vector<ncclComm_t> members;  // by rank
  int joined = 0;
  int finalized = 0;
  bool lost = false;    // NCCL noticed that a rank is gone
  bool broken = false;  // the ranks disagree: their operations end
  std::map<std::size_t, std::shared_ptr<Collective>> collectives;  // by their number
  std::map<std::pair<int, int>, std::deque<const Operation*>>
      messages;  // by source and destination
};

enum class State { kOpen, kFinalized, kDestroyed, kAborted };
constexpr std::array kStates{"open", "finalized", "destroyed", "aborted"};

}  // namespace
}  // namespace ganscale::host_gpu

struct ncclComm {
  std::shared_ptr<ganscale::host_gpu::SharedState> shared;
  int rank = 0;
  int device = 0;
  ganscale::host_gpu::State state = ganscale::host_gpu::State::kOpen;
  std::size_t collectives = 0;  // called so far
  int unfinished = 0;           // operations in streams
  ncclResult_t error = ncclSuccess;
};

namespace ganscale::host_gpu {
namespace {

struct World {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::unique_ptr<ncclComm>> all;  // those that ended, too: a second end is noticed
  std::map<std::string, std::shared_ptr<SharedState>> groups;  // by id
  std::vector<std::string> mistakes;
};

/// Work that hangs when the process ends still uses it.
World& world() {
  static World& instance = *new World;
  return instance;
}

ncclResult_t refuse(const std::string& mistake, ncclResult_t result = ncclInvalidUsage) {
  world().mistakes.push_back(mistake);
  return result;
}

bool is_open(const ncclComm& comm) {
  return comm.state == State::kOpen || comm.state == State::kFinalized;
}

/// Returns whether the operations of a communicator no longer wait.
bool has_ended(const ncclComm& comm) {
  return comm.state == State::kAborted || comm.shared->broken;
}

ncclResult_t require(const ncclComm* comm, State state, std::string_view call) {
  if (comm == nullptr) return refuse(std::string(call) + " of no communicator");
  if (comm->state == state) return ncclSuccess;
  return refuse(std::string(call) + " of a communicator that is " +
                kStates.at(static_cast<std::size_t>(comm->state)) + ", on rank " +
                std::to_string(comm->rank));
}

/// Finds the collective that the rank calls, or begins it. The ranks must agree about it.
std::shared_ptr<Collective> find_or_begin(ncclComm& comm, const Operation& call) {
  SharedState& shared = *comm.shared;
  auto& found = shared.collectives[comm.collectives++];
  if (!found) {
    found = std::make_shared<Collective>(Collective{
        .first = call, .calls = std::vector<Operation>(static_cast<std::size_t>(shared.size))});
  }
  if (call.agrees_with(found->first)) return found;
  refuse("collective " + std::to_string(comm.collectives) + " of rank " +
         std::to_string(comm.rank) + " is " + call.described() + ", another rank's is " +
         found->first.described());
  shared.broken = true;
  world().changed.notify_all();
  return found;
}

void reduce(const std::vector<Operation>& calls) {
  const Operation& first = calls.front();
  std::vector<char> result(first.bytes());
  if (!result.empty()) std::memcpy(result.data(), first.from, result.size());
  for (std::size_t rank = 1; rank < calls.size(); ++rank) {
    if (!combine(result.data(), calls[rank].from, first.count, first.type,
                 static_cast<ncclRedOp_t>(first.detail)))
      refuse("ncclAllReduce of a type that it does not take: " + std::to_string(first.type));
  }
  for (const Operation& call : calls) {
    if (!result.empty()) std::memcpy(call.to, result.data(), result.size());
  }
}

/// Moves the data, once all ranks have reached the collective.
void complete(Collective& collective) {
  const auto& calls = collective.calls;
  const std::size_t bytes = collective.first.bytes();
  if (collective.first.kind == Kind::kAllReduce) reduce(calls);
  for (const Operation& call : calls) {
    if (bytes == 0) break;
    if (call.kind == Kind::kBroadcast)
      std::memmove(call.to, calls.at(static_cast<std::size_t>(call.detail)).from, bytes);
    for (std::size_t rank = 0; call.kind == Kind::kAllGather && rank < calls.size(); ++rank)
      std::memcpy(static_cast<char*>(call.to) + rank * bytes, calls[rank].from, bytes);
  }
  collective.is_complete = true;
}

void take_part(const ncclComm& comm, std::size_t number,
               const std::shared_ptr<Collective>& collective, const Operation& call,
               std::unique_lock<std::mutex>& lock) {
  SharedState& shared = *comm.shared;
  collective->calls[static_cast<std::size_t>(comm.rank)] = call;
  if (++collective->reached == shared.size) {
    complete(*collective);
    shared.collectives.erase(number);
    return world().changed.notify_all();
  }
  world().changed.wait(lock, [&] { return collective->is_complete || has_ended(comm); });
  if (!collective->is_complete) --collective->reached;  // its memory is no longer this call's
}

void send(const ncclComm& comm, const Operation& call, std::unique_lock<std::mutex>& lock) {
  auto& messages = comm.shared->messages[{comm.rank, call.detail}];
  messages.push_back(&call);
  world().changed.notify_all();
  const auto is_taken = [&] { return std::ranges::find(messages, &call) == messages.end(); };
  world().changed.wait(lock, [&] { return is_taken() || has_ended(comm); });
  std::erase(messages, &call);
}

void receive(const ncclComm& comm, const Operation& call, std::unique_lock<std::mutex>& lock) {
  auto& messages = comm.shared->messages[{call.detail, comm.rank}];
  world().changed.wait(lock, [&] { return !messages.empty() || has_ended(comm); });
  if (messages.empty()) return;
  const Operation& sent = *messages.front();
  if (sent.bytes() != call.bytes()) {
    refuse("rank " + std::to_string(comm.rank) + " receives " + std::to_string(call.bytes()) +
           " bytes of " + std::to_string(sent.bytes()));
  } else if (call.count > 0) {
    std::memcpy(call.to, sent.from, call.bytes());
  }
  messages.pop_front();
  world().changed.notify_all();
}

/// What a stream does for an operation.
void carry_out(ncclComm& comm, std::size_t number, const std::shared_ptr<Collective>& collective,
               const Operation& call) {
  std::unique_lock lock(world().mutex);
  if (!has_ended(comm)) {
    switch (call.kind) {
      case Kind::kSend: send(comm, call, lock); break;
      case Kind::kReceive: receive(comm, call, lock); break;
      default: take_part(comm, number, collective, call, lock);
    }
  }
  --comm.unfinished;
  world().changed.notify_all();
}

ncclResult_t join(SharedState& shared, ncclComm& comm) {
  const auto rank = static_cast<std::size_t>(comm.rank);
  if (rank >= shared.members.size() || shared.members[rank] != nullptr)
    return refuse("ncclCommInitRank of a rank that is there or cannot be: " + std::to_string(rank));
  for (const ncclComm* other : shared.members) {
    if (other != nullptr && other->device == comm.device)
      return refuse("ncclCommInitRank of two ranks on device " + std::to_string(comm.device));
  }
  shared.members[rank] = &comm;
  ++shared.joined;
  world().changed.notify_all();
  return ncclSuccess;
}

std::string text(const ncclUniqueId& id) { return {id.internal, sizeof id.internal}; }

}  // namespace

ncclResult_t start(ncclComm_t comm, cudaStream_t stream, const Operation& call) {
  const std::scoped_lock lock(world().mutex);
  if (const auto result = require(comm, State::kOpen, call.name()); result != ncclSuccess)
    return result;
  if (comm->error != ncclSuccess) return comm->error;
  if (device_of(stream) != comm->device)
    return refuse(std::string(call.name()) + " on a stream of another device than its rank's");
  const std::size_t number = comm->collectives;
  const auto collective = call.is_message() ? nullptr : find_or_begin(*comm, call);
  ++comm->unfinished;
  enqueue(stream, [comm, number, collective, call] { carry_out(*comm, number, collective, call); });
  return ncclSuccess;
}

std::vector<std::string> take_mistakes() {
  const std::scoped_lock lock(world().mutex);
  return std::exchange(world().mistakes, {});
}

int abort_open_communicators() {
  const std::scoped_lock lock(world().mutex);
  int count = 0;
  for (const auto& comm : world().all) {
    if (!is_open(*comm)) continue;
    comm->state = State::kAborted;
    ++count;
  }
  world().changed.notify_all();
  return count;
}

void lose(int device) {
  const std::scoped_lock lock(world().mutex);
  for (const auto& [id, shared] : world().groups) {
    const bool is_opening = shared->joined == 0 || shared->joined < shared->size;
    const auto is_gone = [&](const ncclComm* comm) {
      return comm != nullptr && comm->device == device;
    };
    if (!is_opening && std::ranges::none_of(shared->members, is_gone)) continue;
    shared->lost = true;
    for (ncclComm* comm : shared->members) {
      if (comm != nullptr && comm->device != device) comm->error = ncclRemoteError;
    }
  }
  world().changed.notify_all();
}

extern "C" {

ncclResult_t ncclGetVersion(int* version) {
  *version = 22809;
  return ncclSuccess;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  const std::scoped_lock lock(world().mutex);
  *id = {};
  const std::string number = std::to_string(world().groups.size());
  std::memcpy(id->internal, number.data(), number.size());
  world().groups[text(*id)] = std::make_shared<SharedState>();
  return ncclSuccess;
}

ncclResult_t ncclCommInitRank(ncclComm_t* comm, int size, ncclUniqueId id, int rank) {
  std::unique_lock lock(world().mutex);
  const auto found = world().groups.find(text(id));
  if (found == world().groups.end()) return refuse("ncclCommInitRank with an id that nobody got");
  const auto shared = found->second;
  shared->size = size;
  shared->members.resize(static_cast<std::size_t>(size));
  int device = 0;
  cudaGetDevice(&device);
  auto& own = world().all.emplace_back(
      new ncclComm{.shared = shared, .rank = rank, .device = device, .state = State::kAborted});
  ncclComm& opened = *own;
  if (const auto result = join(*shared, opened); result != ncclSuccess) return result;
  world().changed.wait(lock, [&] { return shared->joined == size || shared->lost; });
  if (shared->lost) return ncclRemoteError;
  opened.state = State::kOpen;
  *comm = &opened;
  return ncclSuccess;
}

/// As NCCL's, it waits until all ranks have finalized theirs.
ncclResult_t ncclCommFinalize(ncclComm_t comm) {
  std::unique_lock lock(world().mutex);
  if (const auto result = require(comm, State::kOpen, "ncclCommFinalize"); result != ncclSuccess)
    return result;
  SharedState& shared = *comm->shared;
  world().changed.wait(lock, [&] { return comm->unfinished == 0 || shared.lost; });
  ++shared.finalized;
  world().changed.notify_all();
  world().changed.wait(lock, [&] { return shared.finalized == shared.size || shared.lost; });
  if (comm->error != ncclSuccess) return comm->error;
  comm->state = State::kFinalized;
  return ncclSuccess;
}

ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  const std::scoped_lock lock(world().mutex);
  if (const auto result = require(comm, State::kFinalized, "ncclCommDestroy");
      result != ncclSuccess)
    return result;
  comm->state = State::kDestroyed;
  return ncclSuccess;
}

ncclResult_t ncclCommAbort(ncclComm_t comm) {
  const std::scoped_lock lock(world().mutex);
  const State state = comm != nullptr && is_open(*comm) ? comm->state : State::kOpen;
  if (const auto result = require(comm, state, "ncclCommAbort"); result != ncclSuccess)
    return result;
  comm->state = State::kAborted;
  world().changed.notify_all();
  return ncclSuccess;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* error) {
  const std::scoped_lock lock(world().mutex);
  if (const auto result = require(comm, State::kOpen, "ncclCommGetAsyncError");
      result != ncclSuccess)
    return result;
  *error = comm->error;
  return ncclSuccess;
}

const char* ncclGetErrorString(ncclResult_t result) {
  if (result == ncclSuccess) return "no error";
  return result == ncclRemoteError ? "remote process exited or there was a network error"
                                   : "invalid usage";
}

const char* ncclGetLastError(ncclComm_t comm) {
  const std::scoped_lock lock(world().mutex);
  return comm != nullptr && comm->shared->lost ? "a connection was closed by a peer" : "";
}

}  // extern "C"

}  // namespace ganscale::host_gpu
