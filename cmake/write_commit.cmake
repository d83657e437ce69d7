# Run in every build: cmake -DSOURCE=FOLDER -DTEMPLATE=FILE -DOUTPUT=FILE -P write_commit.cmake
# Writes the commit of the sources into a file, which changes when the commit does: the environment's GANSCALE_COMMIT, for
# sources without their repository, or of git.
set(commit "$ENV{GANSCALE_COMMIT}")
if(NOT commit)
  execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT commit MATCHES "^[0-9a-zA-Z._-]+$")
  set(commit unknown)
endif()
configure_file(${TEMPLATE} ${OUTPUT} @ONLY)
