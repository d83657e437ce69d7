# Run by ctest: cmake -DFOLDER=... -P check_layers_test.cmake. Plants includes in a small tree of its own, and looks
# whether check_layers.cmake takes or refuses them.
set(root worker)
function(expect verdict file include)
  file(REMOVE_RECURSE ${FOLDER}/${root})
  file(WRITE ${FOLDER}/${root}/${file} "#include \"${include}\"\n")
  execute_process(COMMAND ${CMAKE_COMMAND} -DROOT=${FOLDER}/${root} -P ${CMAKE_CURRENT_LIST_DIR}/check_layers.cmake
                  RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE words)
  if(verdict STREQUAL "takes" AND NOT status EQUAL 0)
    message(FATAL_ERROR "refused ${file} including ${include}: ${words}")
  elseif(verdict STREQUAL "refuses" AND NOT words MATCHES "${file}")
    message(FATAL_ERROR "${file} may include ${include}: ${words}")
  endif()
endfunction()

expect(takes training/loop/loop.cpp training/replica/replica.h)
expect(takes training/loop/loop.cpp training/loop/loop.h)
expect(takes training/run/run_config.h comm/group/group.h)
expect(takes models/build_model.cpp models/stylegan2/generator.h)
expect(takes training/schemes/per_label/per_label.h training/schemes/synchronous/train_run.h)
expect(refuses comm/group/group.h models/contract/model.h)                  # upward
expect(refuses comm/group/group.h checkpoint/writer.h)                      # sideways
expect(refuses training/replica/replica.h training/loop/loop.h)             # upward, to another room
expect(refuses training/replica/replica.h training/evaluation/evaluator.h)  # sideways, to another room
expect(refuses data/loader/prefetcher.cpp data/tools/convert.h)
expect(refuses models/layers/linear.cpp models/build_model.h)               # from a room to what uses it
# within a room that has rooms
expect(refuses training/schemes/synchronous/train_run.h training/schemes/per_label/per_label.h)
expect(refuses training/schemes/per_label/per_label.h training/schemes/schemes.h)
expect(refuses training/loop/loop.h training/schemes/synchronous/train_run.h)
expect(refuses training/attic/old.h base/error.h)                           # a room without a layer
expect(refuses training/schemes/attic/old.h base/error.h)
expect(refuses attic/old.h base/error.h)

set(root operator)
expect(takes gan_training/reconcile/reconciler.cpp gan_training/decide/life.h)
expect(takes gan_training/desired/pod.cpp gan_training/plan/plan.h)
expect(takes gan_training/reconcile/purge.cpp kube/client.h)
expect(refuses kube/informer.cpp gan_training/plan/plan.h)                  # upward, from the generic part to a kind
expect(refuses gan_training/decide/life.cpp gan_training/desired/pod.h)     # sideways
expect(refuses gan_training/spec/gan_training.h gan_training/plan/plan.h)   # upward
expect(refuses gan_training/decide/life.cpp kube/client.h)                  # from a pure room to the client
expect(refuses scaling_sweep/spec/scaling_sweep.h kube/client.h)
