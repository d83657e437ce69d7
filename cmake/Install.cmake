# What `cmake --install` lays out, and the Debian package that scripts/package.sh makes of it:
#   bin/                  ganscale, ganscale-operator
#   lib/ganscale/         LibTorch's and Arrow's libraries, and the two CUDA ones that LibTorch loads at its start. A build with CUDA
#                         needs gigabytes more of them: it is installed without, and runs where its wheels stay
#   share/ganscale/       configurations, the schema of the worker's, and converters of published weights
#   share/man, and the folders of completions of bash, zsh and fish: written by the programs, from their own help
include(GNUInstallDirs)
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)  # neither tests nor benchmarks are installed
set(private_libraries lib/ganscale)

# Installs what the help of a program becomes.
function(ganscale_install_texts target)
  set(texts ${PROJECT_BINARY_DIR}/texts/${target})
  install(CODE "execute_process(COMMAND \"${PROJECT_SOURCE_DIR}/scripts/write-texts.sh\" \"$<TARGET_FILE:${target}>\"
                                        ${PROJECT_VERSION} \"${texts}\" COMMAND_ERROR_IS_FATAL ANY)")
  install(FILES ${texts}/bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME ${target})
  install(FILES ${texts}/zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions RENAME _${target})
  install(FILES ${texts}/fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d RENAME ${target}.fish)
  install(DIRECTORY ${texts}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
endfunction()

if(GANSCALE_CUDA)
  set_target_properties(ganscale PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS ganscale)
else()
  set_target_properties(ganscale PROPERTIES INSTALL_RPATH "$ORIGIN/../${private_libraries}")
  install(TARGETS ganscale RUNTIME_DEPENDENCY_SET libraries_of_ganscale)
  install(RUNTIME_DEPENDENCY_SET libraries_of_ganscale
          PRE_EXCLUDE_REGEXES "^ld-linux" POST_INCLUDE_REGEXES "/site-packages/" POST_EXCLUDE_REGEXES "."
          DIRECTORIES ${torch_folder}/lib ${nvidia_folder}/cu13/lib
          LIBRARY DESTINATION ${private_libraries})
endif()
ganscale_install_texts(ganscale)
if(GANSCALE_SERVICES)
  install(TARGETS ganscale-operator)
  ganscale_install_texts(ganscale-operator)
endif()
# scripts/make-wheel.py installs these alone.
install(DIRECTORY configs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/ganscale COMPONENT data)
install(PROGRAMS scripts/convert-inception.py scripts/convert-weights.py
        DESTINATION ${CMAKE_INSTALL_DATADIR}/ganscale/scripts COMPONENT data)
install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
# The terms under which LibTorch, CUDA's libraries and Arrow are passed on.
foreach(wheel torch nvidia_cuda_runtime nvidia_cuda_cupti pyarrow)
  file(GLOB licenses ${TORCH_SITE}/${wheel}-*.dist-info/licenses)
  if(licenses)
    install(DIRECTORY ${licenses}/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/licenses/${wheel})
  endif()
endforeach()

cmake_host_system_information(RESULT distribution QUERY DISTRIB_ID DISTRIB_VERSION_ID)
list(JOIN distribution "" distribution)
set(CPACK_GENERATOR DEB)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1~${distribution})  # whose libraries it needs: 0.1.0-1~debian12
set(CPACK_PACKAGE_CONTACT "the ganscale authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Trains generative adversarial networks on many GPUs or CPUs")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${torch_folder}/lib ${nvidia_folder}/cu13/lib ${arrow_folder})
set(CPACK_DEBIAN_PACKAGE_DEPENDS openmpi-bin)  # mpirun; the libraries come by CPACK_DEBIAN_PACKAGE_SHLIBDEPS
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "ca-certificates, fonts-noto-color-emoji, unicode-data")  # s3://, `data convert --from-font`
set(CPACK_DEBIAN_COMPRESSION_TYPE zstd)
include(CPack)
