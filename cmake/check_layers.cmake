cmake_minimum_required(VERSION 3.25)
# Run by ctest: cmake -DROOT=worker -P check_layers.cmake, and with ROOT=operator
#
# A folder includes itself and folders of a lower layer; nothing else. Where a folder has rooms (subfolders, listed
# below), the same holds for them among themselves; files next to the rooms may use all of them.
set(layers
  "base wire http"
  "files command_line config cost profile tensors device telemetry markup"
  "comm data kernels checkpoint control pickle schedule"
  "models augment losses optim metrics report"
  "planning"
  "training"
  "cli")
set(layers_of_augment "blur")
set(layers_of_cli "launch options images" "serve")
set(layers_of_comm "group" "backends collectives" "preflight")
set(layers_of_data "image storage" "formats fonts" "parquet" "sources" "loader tools")
set(layers_of_kernels "launch" "row_sums"
    "bias_act color_products counter_random grouped_products minibatch_stddev multi_tensor_adam nonfinite upfirdn2d weight_energies"
    "convolution filtered_lrelu output_skip scaled_copies" "modulated_conv" "styled_activation")
set(layers_of_metrics "distances networks")
set(layers_of_models "contract" "layers" "stylegan" "biggan dcgan r3gan resnet stylegan2 stylegan3")
set(layers_of_optim "optimizer" "rules")
set(layers_of_planning "simulation" "model" "output")
set(layers_of_report "log media" "mlflow page tensorboard")
set(layers_of_training "run suggestion" "evaluation replica" "phases generators" "loop" "schemes" "bench" "session")
set(layers_of_training/schemes "synchronous" "asynchronous per_label")
set(divided augment cli comm data kernels metrics models optim planning report training training/schemes)
if(ROOT MATCHES "operator$")
  # Of the worker the operator sees base, wire, files, command_line, config, telemetry, markup and http.
  set(layers "base wire http" "files command_line config telemetry markup" "object" "definition kube" "controller kind" "gan_training"
      "scaling_sweep" "verbs")
  set(layers_of_definition "cel")
  set(layers_of_gan_training "spec" "plan" "desired decide" "reconcile")
  set(layers_of_scaling_sweep "statistics spec" "plan" "decide" "desired" "reconcile")
  set(divided definition gan_training scaling_sweep)
  # Pure rooms (docs/operator.md): what they do needs no server.
  set(pure_rooms "^(gan_training|scaling_sweep)/(spec|plan|desired|decide|statistics)/")
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
foreach(folder IN LISTS divided)
  number_layers("${folder}/" ${layers_of_${folder}})
endforeach()

set(errors "")
macro(report)
  string(APPEND errors ${ARGN} "\n")
endmacro()

# Sets the folders of a path from the outermost on: training/loop/loop.h has training and loop.
macro(set_folders result path)
  string(REPLACE "/" ";" ${result} "${path}")
  list(POP_BACK ${result})
endmacro()

# Compares the layers of a file and of what it includes where their folders part.
#   check_include(FILE TARGET)
function(check_include file target)
  set_folders(from "${file}")
  set_folders(to "${target}")
  set(shared "")
  while(from AND to)
    list(POP_FRONT from own)
    list(POP_FRONT to other)
    if(NOT own STREQUAL other)
      if(NOT DEFINED layer_${shared}${other})
        report("${file}: includes ${target}, but ${shared}${other} has no layer in check_layers.cmake")
      elseif(NOT layer_${shared}${other} LESS layer_${shared}${own})
        report("${file}: ${shared}${own} (layer ${layer_${shared}${own}}) must not include ${target} "
               "(layer ${layer_${shared}${other}})")
      endif()
      set(errors "${errors}" PARENT_SCOPE)
      return()
    endif()
    string(APPEND shared "${own}/")
  endwhile()
  if(from)
    report("${file}: must not include ${target}, which lies above the rooms of ${shared}")
  endif()
  set(errors "${errors}" PARENT_SCOPE)
endfunction()

# Checks that each folder of a file has a layer.
function(check_folders file)
  set_folders(folders "${file}")
  set(path "")
  foreach(folder IN LISTS folders)
    if(NOT DEFINED layer_${path}${folder})
      report("${file}: ${path}${folder} has no layer in check_layers.cmake")
      break()
    endif()
    string(APPEND path "${folder}/")
  endforeach()
  set(errors "${errors}" PARENT_SCOPE)
endfunction()

file(GLOB_RECURSE files RELATIVE ${ROOT} ${ROOT}/*.h ${ROOT}/*.cpp ${ROOT}/*.cu ${ROOT}/*.cuh)
list(FILTER files INCLUDE REGEX "/")  # main.cpp includes what it likes
foreach(file IN LISTS files)
  check_folders("${file}")
  file(STRINGS ${ROOT}/${file} includes REGEX "^#include \"[a-z0-9_]+/")
  foreach(line IN LISTS includes)
    string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" target "${line}")
    check_include("${file}" "${target}")
    if(DEFINED pure_rooms AND file MATCHES "${pure_rooms}" AND target MATCHES "^kube/")
      report("${file}: must not include ${target}, since its room is pure: it makes no requests")
    endif()
  endforeach()
endforeach()
if(errors)
  message(FATAL_ERROR "${errors}")
endif()
