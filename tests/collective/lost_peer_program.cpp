// What lost_peer_test starts under mpirun: rank 1 does to itself what the argument says while the
// other ranks wait for it.
//   lost_peer_program sleep|stop|kill|exit|leave|error TIMEOUT_MS
#include <ATen/ATen.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "base/error.h"
#include "base/log.h"
#include "comm/mpi_session.h"
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
    config.timeout_seconds = std::atof(argv[2]) / 1000;
    const auto world = ganscale::comm::open_world(config);
    ganscale::log::set_rank(world.group->rank());
    const auto data = at::ones({100000});
    world.group->sum(data);
    if (world.place.rank == 1) vanish(argv[1]);
    for (int step = 0; step < 3; ++step) {
      world.group->sum_async(data);
      world.group->wait();
    }
    ganscale::log::error("No peer was missed");
    return 0;
  } catch (const ganscale::Error& error) {
    ganscale::log::error(error.what());
    ganscale::comm::MpiSession::abort(static_cast<int>(error.code()));
  }
}
