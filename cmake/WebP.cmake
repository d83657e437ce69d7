# The targets WebP::mux (encodes animations) and WebP::demux (decodes them): Debian's package has no CMake files.
include_guard()

foreach(name IN ITEMS webp webpmux webpdemux)
  find_library(LIB${name} ${name} REQUIRED)
endforeach()
find_path(WEBP_FOLDER webp/mux.h REQUIRED)
foreach(part IN ITEMS mux demux)
  add_library(WebP::${part} INTERFACE IMPORTED)
  target_include_directories(WebP::${part} INTERFACE ${WEBP_FOLDER})
  target_link_libraries(WebP::${part} INTERFACE ${LIBwebp${part}} ${LIBwebp})
endforeach()
