#pragma once

#include <string>

namespace ganscale::controller::gan_training {

/// Returns a mount path without what does not change its meaning, such as a slash at its end.
std::string normal_mount(const std::string& path);

/// Whether the operator or the MPI Operator mounts something at a path, or has the folder around it.
bool is_mount_of_operators(const std::string& path);

}  // namespace ganscale::controller::gan_training
