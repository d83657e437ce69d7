#!/usr/bin/env bash
# Packs what scripts/gpu-check.sh needs of this machine's Debian packages (headers, shared libraries, what those load)
# into .gpu-deps/libraries.tar.gz, for a machine with a GPU and PyTorch on which nothing can be installed.
#   scripts/gpu-deps.sh
set -euo pipefail
# shellcheck source=scripts/environment.sh
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
help_if_asked "$@"

# Neither cpprestsdk and prometheus-cpp nor Open MPI: gpu-check builds without the services and MPI.
packages=(libarchive-dev libcli11-dev libfmt-dev libfreetype-dev libgif-dev libgmock-dev libgtest-dev libisal-dev libpng-dev libssl-dev
  libtiff-dev libwebp-dev libyaml-cpp-dev nlohmann-json3-dev zlib1g-dev)
cd "$repository"
system=/usr/lib/$(gcc -print-multiarch)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
libraries=$root/$system
mkdir -p "$libraries"

# Copies a shared library under its real name and links its other names to it.
#   copy_library FILE
copy_library() {
  local real name
  real=$(readlink -f "$1")
  name=$(objdump -p "$real" | awk '$1 == "SONAME" { print $2 }')
  [ -e "$libraries/$(basename "$real")" ] || cp "$real" "$libraries/"
  for name in "$name" "$(basename "$1")"; do
    [ -e "$libraries/$name" ] || ln -s "$(basename "$real")" "$libraries/$name"
  done
}

jpeg=$(dpkg -S '*/jpeglib.h' 2>/dev/null | head -n 1 | cut -d : -f 1)
[ -n "$jpeg" ] || die "no package holds jpeglib.h" "scripts/setup.sh build installs what is missing."
for package in "${packages[@]}" "$jpeg"; do
  listing=$(dpkg -L "$package" 2>/dev/null) || die "not installed: $package" "scripts/setup.sh build installs it."
  while read -r file; do
    [ -f "$file" ] || continue
    case $file in
      */gtest/samples/* | */pkgconfig/*) ;;
      /usr/include/* | */cmake/* | */libg[mt]*.a) mkdir -p "$root/$(dirname "$file")" && cp "$file" "$root/$file" ;;
      *.so) copy_library "$file" ;;
    esac
  done <<<"$listing"
done

# Of Boost's 15,000 headers those that count.
g++ -std=c++20 -M -I worker worker/data/tools/f_distribution.cpp | tr ' ' '\n' | grep '^/usr/include/boost/' | sort -u |
  while read -r header; do
    mkdir -p "$root/$(dirname "$header")" && cp "$header" "$root/$header"
  done

# What those libraries load in turn, but for the C and C++ runtimes, which every Linux has.
for library in "$libraries"/*.so*; do
  ldd "$library" | awk '$2 == "=>" { print $3 }' | sort -u | while read -r loaded; do
    case $(basename "$loaded") in
      libc.so* | libm.so* | libdl.so* | librt.so* | libpthread.so* | libgcc_s.so* | libstdc++.so*) ;;
      *) copy_library "$loaded" ;;
    esac
  done
done
find "$libraries" -name '*.so*' -type f -exec strip --strip-unneeded {} +

mkdir -p "$repository/.gpu-deps"
tar -C "$root" -czf "$repository/.gpu-deps/libraries.tar.gz" usr
say "Packed $(du -h "$repository/.gpu-deps/libraries.tar.gz" | cut -f 1) into .gpu-deps/libraries.tar.gz"
