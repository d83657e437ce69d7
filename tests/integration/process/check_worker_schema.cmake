# Run by ctest: cmake -DWORKER=ganscale -DFILE=configs/worker-schema.json -P check_worker_schema.cmake
# The operator judges configurations by the file: it must say what the worker says.
execute_process(COMMAND ${WORKER} config-schema OUTPUT_VARIABLE told COMMAND_ERROR_IS_FATAL ANY)
file(READ ${FILE} kept)
if(NOT told STREQUAL kept)
  message(FATAL_ERROR "${FILE} is behind the worker's configuration: `make docs` writes it anew")
endif()
