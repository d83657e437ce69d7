# Run by ctest: cmake -DWORKER=ganscale -DFILE=configs/worker-schema.json -P check_worker_schema.cmake
# The operator checks configurations by the file, so it must equal what the worker prints.
execute_process(COMMAND ${WORKER} config-schema OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
file(READ ${FILE} kept)
if(NOT printed STREQUAL kept)
  message(FATAL_ERROR "${FILE} lags the worker's configuration: `make docs` rewrites it")
endif()
