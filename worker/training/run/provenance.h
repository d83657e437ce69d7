#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "comm/group/group.h"

namespace ganscale::training {

/// What a program was built from, by name: version, commit, libraries, compiler. What a build lacks
/// is "none".
using Build = std::vector<std::pair<std::string, std::string>>;

/// Which program runs, and how it was started.
struct Provenance {
  Build build;
  std::string command_line;
};

/// Describes a start of a run: the build, the command line, the date, the hosts, and the number of
/// devices by name. All ranks call it.
///
/// device_name:  of this rank's devices.
/// device_count: of this rank.
nlohmann::ordered_json describe_start(const Provenance& provenance, const std::string& device_name,
                                      int device_count, comm::Group& group);

}  // namespace ganscale::training
