#pragma once

namespace ganscale::training {

/// Returns how many CPU threads a rank computes with, at least 1.
///
/// wish:          of the configuration; 0: choose.
/// allowed_cores: those that this process may run on.
/// machine_cores: those of the machine; more than allowed_cores where a launcher or a container has
/// bound the rank,
///                which then has its cores for itself; else the ranks of the machine share them.
constexpr int cpu_threads(int wish, int allowed_cores, int machine_cores, int local_size) {
  if (wish > 0) return wish;
  const int share = allowed_cores < machine_cores ? allowed_cores : machine_cores / local_size;
  return share > 1 ? share : 1;
}

}  // namespace ganscale::training
