#include "models/resnet/tables.h"

#include <array>

#include "models/layers/convolutional_config.h"

namespace ganscale::models::resnet {

Table scaled(Table table, double factor) {
  table.first_width = scaled_width(table.first_width, factor);
  for (int& width : table.up) width = scaled_width(width, factor);
  for (Down& down : table.down) down.width = scaled_width(down.width, factor);
  return table;
}

const Table& small_table() {
  static const Table table{.resolution = 32,
                           .first_width = 64,
                           .up = {64, 64, 64},
                           .down = {{64}, {64}, {64, false}, {64, false}},
                           .has_learned_shortcuts = false,
                           .sums_pixels = false};
  return table;
}

std::span<const Table> sngan_tables() {
  static const std::array tables = {
      Table{.resolution = 32,
            .first_width = 256,
            .up = {256, 256, 256},
            .down = {{128}, {128}, {128, false}, {128, false}}},
      Table{.resolution = 64,
            .first_width = 1024,
            .up = {512, 256, 128, 64},
            .down = {{64}, {128}, {256}, {512}, {1024}}},
      Table{.resolution = 128,
            .first_width = 1024,
            .up = {1024, 512, 256, 128, 64},
            .down = {{64}, {128}, {256}, {512}, {1024}, {1024, false}}},
      Table{.resolution = 256,
            .first_width = 1024,
            .up = {1024, 512, 256, 128, 64, 32},
            .down = {{32}, {64}, {128}, {256}, {512}, {1024}, {1024, false}}},
  };
  return tables;
}

}  // namespace ganscale::models::resnet
