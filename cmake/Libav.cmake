# The target PkgConfig::LIBAV, which encodes videos as MP4, where libav is installed.
include_guard()

# So that the first build after `scripts/setup.sh video` looks again: it configures once more when a file has come.
file(GLOB libav_files CONFIGURE_DEPENDS
     /usr/bin/pkg-config /usr/lib/*/pkgconfig/libavformat.pc /usr/lib/*/pkgconfig/libswscale.pc)
find_package(PkgConfig QUIET)
if(PKG_CONFIG_FOUND)
  pkg_check_modules(LIBAV QUIET IMPORTED_TARGET libavformat libavcodec libswscale libavutil)
endif()
