#pragma once

#include <array>
#include <string>
#include <string_view>

namespace ganscale::controller::gan_training {

/// What the operator or the MPI Operator mounts in each pod, beside volumes of the spec; and /,
/// which is the image's.
inline constexpr std::array<std::string_view, 5> kOwnMounts{"/", "/tmp", "/dev/shm", "/root/.ssh",
                                                            "/home/mpiuser/.ssh"};
/// The same, but no folder can be made in them: what is mounted there is read-only.
inline constexpr std::array<std::string_view, 2> kOwnFolders{"/etc/ganscale", "/etc/mpi"};

/// Returns a mount path without what does not change its meaning, such as a slash at its end.
std::string normal_mount(const std::string& path);

/// Whether a subPath stays in its volume, as Kubernetes requires.
bool stays_in_volume(const std::string& sub_path);

/// Whether the operator or the MPI Operator mounts something at a path, or has the folder around
/// it.
bool is_mount_of_operators(const std::string& path);

}  // namespace ganscale::controller::gan_training
