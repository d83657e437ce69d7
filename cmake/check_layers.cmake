cmake_minimum_required(VERSION 3.25)
# Run by ctest: cmake -DROOT=worker -P check_layers.cmake, and with ROOT=operator
#
# A folder includes itself and folders of a lower layer; nothing else. Where a folder has rooms (sub-folders that
# are listed below), the same holds for them among themselves; files beside the rooms may use all of them.
set(layers
  "base wire"
  "files command_line config cost profile tensors device telemetry"
  "comm data kernels checkpoint control"
  "models augment losses optim metrics report"
  "training planning"
  "cli")
set(layers_of_data "image" "formats" "sources" "loader tools")
set(layers_of_kernels "launch" "row_sums"
    "bias_act counter_random grouped_products minibatch_stddev multi_tensor_adam nonfinite upfirdn2d weight_energies"
    "convolution output_skip scaled_copies" "modulated_conv" "styled_activation")
set(layers_of_models "layers" "biggan dcgan resnet stylegan2")
set(layers_of_planning "simulation")
set(layers_of_training "run" "evaluation phases" "generators" "loop" "schemes" "bench" "session")
# Contracts that lie beside the rooms of their folder, and below them.
set(headers_below_rooms models/convolutional_config.h models/initial_weights.h models/layout.h models/model.h
    models/networks.h models/style_generator.h)
if(ROOT MATCHES "operator$")
  # Of the worker the operator sees base, wire, files, command_line, config and telemetry.
  set(layers "base wire" "files command_line config telemetry" "object" "kube" "controller" "gan_training" "scaling_sweep"
      "verbs")
  set(layers_of_gan_training "spec" "plan" "desired decide" "reconcile")
  set(layers_of_scaling_sweep "statistics spec" "plan" "decide" "desired" "reconcile")
endif()

# Sets layer_NAME of each name: its position in the list of layers.
function(number_layers prefix)
  set(number 0)
  foreach(names IN LISTS ARGN)
    separate_arguments(names)
    foreach(name IN LISTS names)
      set(layer_${prefix}${name} ${number} PARENT_SCOPE)
    endforeach()
    math(EXPR number "${number} + 1")
  endforeach()
endfunction()
number_layers("" ${layers})
foreach(folder data kernels models planning training gan_training scaling_sweep)
  number_layers("${folder}/" ${layers_of_${folder}})
endforeach()

# Sets folder and room of a path; the room is empty for a file beside the rooms.
macro(split path)
  string(REGEX MATCH "^([a-z0-9_]+)/(([a-z0-9_]+)/)?" ignored "${path}")
  set(folder "${CMAKE_MATCH_1}")
  set(room "${CMAKE_MATCH_3}")
endmacro()

set(errors "")
macro(report)
  string(APPEND errors ${ARGN} "\n")
endmacro()

# Checks one include of `file`, which lies in `from_folder` and `from_room`.
function(check_include file target)
  split("${target}")
  if(NOT DEFINED layer_${folder})
    report("${file}: includes ${target}, whose folder has no layer in check_layers.cmake")
  elseif(NOT folder STREQUAL from_folder)
    if(NOT layer_${folder} LESS layer_${from_folder})
      report("${file}: ${from_folder} (layer ${layer_${from_folder}}) must not include ${target} (layer ${layer_${folder}})")
    endif()
  elseif(room STREQUAL "" AND NOT from_room STREQUAL "" AND NOT target IN_LIST headers_below_rooms)
    report("${file}: the room ${from_folder}/${from_room} must not include ${target}, which lies above the rooms")
  elseif(NOT room STREQUAL "" AND NOT from_room STREQUAL "" AND NOT room STREQUAL from_room)
    if(NOT layer_${folder}/${room} LESS layer_${folder}/${from_room})
      report("${file}: the room ${from_folder}/${from_room} must not include ${target}")
    endif()
  endif()
  set(errors "${errors}" PARENT_SCOPE)
endfunction()

file(GLOB_RECURSE files RELATIVE ${ROOT} ${ROOT}/*.h ${ROOT}/*.cpp ${ROOT}/*.cu ${ROOT}/*.cuh)
foreach(file IN LISTS files)
  split("${file}")
  set(from_folder "${folder}")
  set(from_room "${room}")
  if(folder STREQUAL "") # main.cpp
    continue()
  endif()
  if(NOT DEFINED layer_${folder})
    report("${file}: ${folder} has no layer in check_layers.cmake")
    continue()
  endif()
  if(NOT room STREQUAL "" AND NOT DEFINED layer_${folder}/${room})
    report("${file}: the room ${folder}/${room} has no layer in check_layers.cmake")
    continue()
  endif()
  file(STRINGS ${ROOT}/${file} includes REGEX "^#include \"[a-z0-9_]+/")
  foreach(line IN LISTS includes)
    string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" target "${line}")
    check_include("${file}" "${target}")
  endforeach()
endforeach()
if(errors)
  message(FATAL_ERROR "${errors}")
endif()
