#pragma once

#include <initializer_list>
#include <string>

namespace ganscale {

/// Returns the name of this machine; empty if it has none that can be read.
std::string host_name();

/// Returns the first of these environment variables that is set and not empty; empty if none is.
std::string environment_variable(std::initializer_list<const char*> names);

/// Keeps freed heap memory for the next allocation. A training step allocates the same sizes again
/// and again; glibc's defaults return much of it to the kernel in between, and each page that comes
/// back is cleared first. Allocations of more than 32 MiB are still returned: mallopt(3) goes no
/// further. Call it before other threads start.
void keep_freed_host_memory();

/// Lets this process open as many files as it may: a dataset keeps its shards open, and the usual
/// limit, 1024, is only a default, which the process may raise up to the hard limit. Not beyond
/// 65,536: some programs that it starts close as many files as they could have.
void raise_open_file_limit();

}  // namespace ganscale
