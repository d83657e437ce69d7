#include "cost/matrix_units.h"

#include "base/rounded_up.h"

namespace ganscale::cost {

std::optional<MatrixTile> tile_of(const Device& device, Number number, bool tf32) {
  const MatrixUnits& units = device.matrix_units;
  const bool rounds = tf32 && device.tf32_flops > device.float32_flops;
  const bool has_float32 = rounds || units.has_float32;
  if (number == Number::kFloat64 || (number == Number::kFloat32 && !has_float32)) {
    return std::nullopt;
  }
  const std::int64_t bytes = number == Number::kFloat32 ? 4 : 2;
  return MatrixTile{units.rows, units.columns, units.depth_bytes / bytes};
}

double MatrixProduct::multiply_adds() const {
  return static_cast<double>(rows) * static_cast<double>(columns) *
         static_cast<double>(channels * taps);
}

double multiply_adds_in_tiles(const MatrixProduct& product, const MatrixTile& tile) {
  return MatrixProduct{.rows = rounded_up(product.rows, tile.rows),
                       .columns = rounded_up(product.columns, tile.columns),
                       .channels = rounded_up(product.channels, tile.depth),
                       .taps = product.taps}
      .multiply_adds();
}

}  // namespace ganscale::cost
