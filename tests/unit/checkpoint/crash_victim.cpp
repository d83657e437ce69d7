// crash_victim RUN FIRST: writes checkpoint after checkpoint into RUN, from the count FIRST on, and
// each count to standard output once it is on the disk, until it is killed.

#include <unistd.h>

#include <string>

#include "checkpoint/writer.h"
#include "make_snapshot.h"

int main(int, char** argv) {
  using namespace ganscale::checkpoint;
  Writer writer(argv[1], {.keep_last = 2});
  for (std::int64_t count = std::stoll(argv[2]);; ++count) {
    writer.write(make_snapshot(count, static_cast<double>(count), kVictimExtent));
    if (!writer.wait()) return 1;
    if (::write(STDOUT_FILENO, &count, sizeof count) != sizeof count) return 1;
  }
}
