#pragma once

#include <ATen/core/ScalarType.h>

#include <filesystem>
#include <ostream>

#include "checkpoint/safetensors.h"
#include "parity/report.h"

namespace ganscale::parity {

/// How one kind of fixture is checked: runs our code on the stored inputs in the given precision
/// and compares with the stored results.
///
/// Throws DataError for a fixture that lacks a tensor, ConfigError for a case that is not
/// supported.
using Check = void (*)(const checkpoint::Safetensors& fixture, at::ScalarType precision,
                       Report& report);

/// Each kind of fixture has one file with its check.
void check_ada_augment(const checkpoint::Safetensors& fixture, at::ScalarType precision,
                       Report& report);
void check_metrics(const checkpoint::Safetensors& fixture, at::ScalarType precision,
                   Report& report);
void check_optimizers(const checkpoint::Safetensors& fixture, at::ScalarType precision,
                      Report& report);
void check_stylegan2_ops(const checkpoint::Safetensors& fixture, at::ScalarType precision,
                         Report& report);
void check_stylegan2_trace(const checkpoint::Safetensors& fixture, at::ScalarType precision,
                           Report& report);

/// Checks one fixture by the `kind` of its metadata, in float64 and in float32, and writes the
/// errors of each group to `out`. Returns whether all are within the tolerance of the kind.
///
/// Throws ConfigError for a kind that is not supported, DataError for a file that is no fixture.
bool check_fixture(const std::filesystem::path& file, std::ostream& out);

}  // namespace ganscale::parity
