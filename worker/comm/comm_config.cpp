#include "comm/comm_config.h"

namespace ganscale::comm {

CommConfig parse_comm(config::Section in) {
  CommConfig c;
  c.backend = in.get_choice("backend", c.backend, kBackends,
                            "auto: NCCL for GPUs, otherwise MPI; single: without mpirun");
  c.bucket_bytes = in.get_bytes("bucket_bytes", c.bucket_bytes, "size of gradient buckets");
  in.require(c.bucket_bytes, config::above(0), "bucket_bytes", "must be positive");
  c.timeout_seconds = in.get_seconds(
      "timeout", c.timeout_seconds,
      "timeout of collective operations; a rank then ends the run with exit code 75 (peer lost)");
  // At least a millisecond, its unit; at most what fits a clock's nanoseconds.
  in.require(c.timeout_seconds, config::between(1e-3, 1e9), "timeout",
             "must be between 1ms and 1000000000s");
  c.expected_world_size =
      in.get("expected_world_size", c.expected_world_size, "expected number of ranks; 0: any");
  in.require(c.expected_world_size, config::at_least(0), "expected_world_size",
             "must not be negative");
  in.reject_unread_keys();
  return c;
}

}  // namespace ganscale::comm
