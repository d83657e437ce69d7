#include "cli/options/fabric_options.h"

#include <CLI/CLI.hpp>

#include "cli/options/number_checks.h"
#include "wire/names.h"

namespace ganscale::cli {

void add_fabric_options(CLI::App& verb, comm::FabricRequirements& required) {
  verb.add_option("--floor", required.floor_gigabytes_per_second,
                  "Least bus bandwidth of the preflight's all-reduce, in GB/s; 0: any")
      ->type_name("GB/S")
      ->envname(wire::environment::kPreflightFloor)
      ->check(non_negative_number);
  verb.add_option("--hcas", required.hcas,
                  "Number of InfiniBand HCAs with an active port that each node must have; 0: any")
      ->type_name("N")
      ->envname(wire::environment::kPreflightHcas)
      ->check(non_negative_integer);
}

}  // namespace ganscale::cli
