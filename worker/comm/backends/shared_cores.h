#pragma once

#include <vector>

/// How a process shares the cores of a machine with others.
namespace ganscale::comm {

/// Has OpenMP's threads sleep while they wait for each other for more than some microseconds, unless the
/// environment says how they wait (OMP_WAIT_POLICY or GOMP_SPINCOUNT). By default they spin for long:
/// with other work on the machine, the threads that compute then wait for cores on which others wait
/// for them.
///
/// OpenMP reads the environment while the program is loaded. So this starts the program again, in
/// place of this process and with the same arguments; there it does nothing. For the section
/// `.preinit_array` of a program: called before any library is initialized, it spares the process
/// that it replaces LibTorch's initializers, most of the time of a short command.
void wait_passively(int argument_count, char** arguments, char** environment);

/// Environment variable of ranks that bind themselves to their share of the machine's cores when
/// they start, as `ganscale launch` sets it.
inline constexpr const char* kBindVariable = "GANSCALE_BIND_CORES";

/// Returns the cores that this thread may run on, in order; empty if the system does not say.
std::vector<int> allowed_cores();

/// Returns the part of `cores` that belongs to one of `size` ranks: parts are disjoint, of
/// neighboring cores, and as even as possible; the first ranks get the larger ones. All
/// cores if there are fewer than ranks.
std::vector<int> share_of_cores(const std::vector<int>& cores, int rank, int size);

/// Binds this thread, and those that it starts afterward, to a rank's share of the cores that it
/// may run on. Without permission it stays where it is.
void bind_to_share(int rank, int size);

}  // namespace ganscale::comm
