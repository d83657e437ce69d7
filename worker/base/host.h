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

}  // namespace ganscale
