#pragma once

#include <filesystem>
#include <ostream>

#include "checkpoint/safetensors.h"
#include "parity/arithmetic.h"
#include "parity/report.h"

namespace ganscale::parity {

/// How one kind of fixture is checked: runs our code on the stored inputs in the given arithmetic
/// and compares with the stored results.
///
/// Throws DataError for a fixture that lacks a tensor, ConfigError for a case that is not
/// supported.
using Check = void (*)(const checkpoint::Safetensors& fixture, const Arithmetic& arithmetic,
                       Report& report);

/// Each kind of fixture has one file with its check.
void check_ada_augment(const checkpoint::Safetensors& fixture, const Arithmetic& arithmetic,
                       Report& report);
void check_biggan_trace(const checkpoint::Safetensors& fixture, const Arithmetic& arithmetic,
                        Report& report);
void check_metrics(const checkpoint::Safetensors& fixture, const Arithmetic& arithmetic,
                   Report& report);
void check_optimizers(const checkpoint::Safetensors& fixture, const Arithmetic& arithmetic,
                      Report& report);
void check_r3gan_trace(const checkpoint::Safetensors& fixture, const Arithmetic& arithmetic,
                       Report& report);
void check_stylegan2_ops(const checkpoint::Safetensors& fixture, const Arithmetic& arithmetic,
                         Report& report);
void check_stylegan2_trace(const checkpoint::Safetensors& fixture, const Arithmetic& arithmetic,
                           Report& report);
void check_stylegan3_ops(const checkpoint::Safetensors& fixture, const Arithmetic& arithmetic,
                         Report& report);
void check_stylegan3_trace(const checkpoint::Safetensors& fixture, const Arithmetic& arithmetic,
                           Report& report);

/// Checks one fixture by the `kind` of its metadata, in float64 and in float32 on the CPU unless
/// requested otherwise, and writes the errors of each group to `out`. What a kind is not computed
/// in is named and left out. Returns whether all are within the tolerance of the kind.
///
/// Throws ConfigError for a kind that is not supported, DataError for a file that is not a fixture.
bool check_fixture(const std::filesystem::path& file, std::ostream& out,
                   const std::vector<Arithmetic>& arithmetics = arithmetics_of({"fp64", "fp32"},
                                                                               /*on_gpu=*/false));

}  // namespace ganscale::parity
