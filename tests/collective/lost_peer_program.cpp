// What lost_peer_test starts under mpirun: rank 1 does to itself what the argument says while the
// other ranks wait for it; "early" is one that stops before it opens the world, "late" one that all
// wait for at a barrier, longer than the timeout.
//   lost_peer_program sleep|stop|kill|exit|leave|error|early|late TIMEOUT_MS
#include <ATen/ATen.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "base/error.h"
#include "base/log.h"
#include "comm/backends/launcher.h"
#include "comm/backends/mpi_session.h"
#include "comm/open_world.h"

namespace {

void vanish(std::string_view how) {
  if (how == "sleep") std::this_thread::sleep_for(std::chrono::hours(1));
  if (how == "stop") std::raise(SIGSTOP);
  if (how == "kill") std::raise(SIGKILL);
  if (how == "exit") std::exit(0);
  if (how == "leave") _exit(0);
  if (how == "error") throw ganscale::DataError("broken record");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 64;
  const ganscale::comm::MpiSession session;
  try {
    ganscale::comm::CommConfig config;
    const std::chrono::milliseconds timeout(std::atoi(argv[2]));
    config.timeout_seconds = std::chrono::duration<double>(timeout).count();
    if (argv[1] == std::string_view("early") && ganscale::comm::launched_rank() == 1)
      vanish("stop");
    const auto world = ganscale::comm::open_world(config);
    ganscale::log::set_rank(world.group->rank());
    const auto data = at::ones({100000});
    world.group->all_reduce_sum(data);
    const bool is_late = argv[1] == std::string_view("late");
    if (world.rank_info.rank == 1)
      is_late ? std::this_thread::sleep_for(2 * timeout) : vanish(argv[1]);
    if (is_late) world.group->barrier();
    for (int step = 0; step < 3; ++step) {
      world.group->all_reduce_async(data);
      world.group->wait();
    }
    ganscale::log::error("No peer was missed");
    return 0;
  } catch (const ganscale::Error& error) {
    ganscale::log::error(error.what());
    ganscale::comm::MpiSession::abort(static_cast<int>(error.code()));
  }
}
