#pragma once

#include <ATen/ops/allclose.h>
#include <gtest/gtest.h>

#include "checkpoint/snapshot.h"

namespace ganscale::training {

/// Expects the same tensors of two checkpoints, within an absolute tolerance.
inline void expect_same(const checkpoint::Snapshot& actual, const checkpoint::Snapshot& expected,
                        double tolerance = 0) {
  ASSERT_EQ(actual.files.size(), expected.files.size());
  for (const auto& [file, tensors] : expected.files) {
    for (const auto& [name, tensor] : tensors) {
      EXPECT_TRUE(at::allclose(actual.files.at(file).at(name), tensor, /*rtol=*/0, tolerance))
          << file << ": " << name;
    }
  }
}

}  // namespace ganscale::training
