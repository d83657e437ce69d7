#pragma once

#include <vector>

#include "planning/model/workload.h"

namespace ganscale::planning {

/// The trainings of StyleGAN2 and 3 of published tables, as `ganscale bench --count` counted them on one of 8
/// GPUs: the times of the phases on an A100 at two batches, launches, and reduced bytes. They
/// describe the published code and not today's ganscale: each pass of the discriminator's skips and
/// gains is counted by itself, as that code runs it, and is not part of another kernel.
struct PhaseCount {
  const char* name;
  double interval;
  double milliseconds_small;
  double milliseconds_large;
  double launches;
  double reduced_megabytes;
};

struct StepCount {
  double images_small;
  double images_large;
  std::vector<PhaseCount> phases;
  int resolution;
};

/// reductions: all-reduces of a phase
inline Workload workload_of(const StepCount& count, double reductions) {
  Workload workload;
  workload.image_bytes = 3.0 * count.resolution * count.resolution;
  for (const PhaseCount& phase : count.phases) {
    workload.phases.push_back({.name = phase.name,
                               .interval = phase.interval,
                               .device = {{count.images_small, phase.milliseconds_small / 1e3},
                                          {count.images_large, phase.milliseconds_large / 1e3}},
                               .launches = phase.launches,
                               .reduced_bytes = phase.reduced_megabytes * 1e6,
                               .reductions = reductions});
  }
  return workload;
}

/// stylegan3-t at 256 x 256 in float16; 2,648 GFLOP an image.
inline StepCount stylegan3_t() {
  return {4,
          16,
          {{"Gmain", 1, 77.67, 301.72, 1712, 116.0},
           {"Dmain", 1, 48.49, 188.45, 933, 119.7},
           {"Dreg", 16, 16.77, 62.92, 457, 119.7}},
          256};
}

/// stylegan3-r at 256 x 256 in float16; 1,591 GFLOP an image.
inline StepCount stylegan3_r() {
  return {4,
          16,
          {{"Gmain", 1, 92.40, 362.76, 1681, 77.4},
           {"Dmain", 1, 60.80, 238.13, 928, 119.7},
           {"Dreg", 16, 16.83, 63.10, 475, 119.7}},
          256};
}

/// config-f at 256 x 256 in TF32; 1,208 GFLOP an image.
inline StepCount config_f() {
  return {2,
          8,
          {{"Gmain", 1, 19.84, 70.87, 933, 120.1},
           {"Greg", 4, 14.89, 50.73, 1646, 120.1},
           {"Dmain", 1, 23.85, 88.99, 517, 115.5},
           {"Dreg", 16, 19.58, 74.22, 408, 115.5}},
          256};
}

/// The same in float32
inline StepCount config_f_float32() {
  return {2,
          4,
          {{"Gmain", 1, 101.68, 200.69, 933, 120.1},
           {"Greg", 4, 63.31, 123.83, 1638, 120.1},
           {"Dmain", 1, 140.08, 278.19, 512, 115.5},
           {"Dreg", 16, 119.77, 238.17, 402, 115.5}},
          256};
}

/// at 1024 x 1024
inline StepCount config_f_1024() {
  return {4,
          8,
          {{"Gmain", 1, 357.69, 712.74, 1190, 121.5},
           {"Greg", 4, 229.25, 455.71, 2126, 121.5},
           {"Dmain", 1, 484.70, 967.49, 635, 116.1},
           {"Dreg", 16, 412.62, 823.88, 506, 116.1}},
          1024};
}

/// `auto` in fp16 at 128 x 128
inline StepCount auto_128() {
  return {16,
          32,
          {{"Gmain", 1, 17.86, 32.57, 1164, 91.8},
           {"Greg", 4, 16.05, 24.41, 2182, 91.8},
           {"Dmain", 1, 20.29, 38.66, 550, 95.5},
           {"Dreg", 16, 16.40, 31.73, 376, 95.5}},
          128};
}

/// at 256 x 256
inline StepCount auto_256() {
  return {8,
          16,
          {{"Gmain", 1, 15.26, 27.66, 1287, 92.8},
           {"Greg", 4, 15.50, 21.66, 2408, 92.8},
           {"Dmain", 1, 16.82, 31.71, 609, 96.0},
           {"Dreg", 16, 13.42, 25.74, 425, 96.0}},
          256};
}

/// The same networks with a mapping of eight layers
inline StepCount paper256() {
  return {8,
          16,
          {{"Gmain", 1, 15.40, 27.80, 1323, 99.1},
           {"Greg", 4, 15.63, 21.79, 2444, 99.1},
           {"Dmain", 1, 16.89, 31.78, 621, 96.0},
           {"Dreg", 16, 13.42, 25.74, 424, 96.0}},
          256};
}

/// at 512 x 512, with twice the channels
inline StepCount auto_512() {
  return {4,
          8,
          {{"Gmain", 1, 28.22, 53.08, 1411, 114.8},
           {"Greg", 4, 22.73, 41.05, 2637, 114.8},
           {"Dmain", 1, 32.13, 62.00, 670, 115.9},
           {"Dreg", 16, 26.02, 50.71, 475, 115.9}},
          512};
}

}  // namespace ganscale::planning
