#!/usr/bin/env bash
# Lays out the files of an image from a finished build: the program, the libraries that no Debian package of the image brings,
# the licenses of both, and the names of the packages that bring the others.
#   docker/collect.sh worker|operator BUILD OUT      for example: docker/collect.sh worker build/release build/image/worker
# worker:    the program, its entry point, LibTorch's and Arrow's libraries; packages.txt names the Debian packages of the others.
# operator:  the program and every library, for an image with nothing else in it.
set -euo pipefail
[ $# -eq 3 ] || { sed -n 's/^# \{0,1\}//; 2,6p' "$0" >&2; exit 64; }
role=$1 build=$2 out=$3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
rm -rf "$out"
licenses=$out/usr/local/share/ganscale/licenses
mkdir -p "$out/usr/local/bin"
install -D -m 644 "$here/../LICENSE" "$licenses/ganscale/LICENSE"

# Prints "name path" of each library that a program loads at its start. Fails if one is missing, other than the driver.
libraries() {
  ldd "$1" | awk '/not found/ && $1 != "libcuda.so.1" { print > "/dev/stderr"; bad = 1 }
    $2 == "=>" && $3 ~ /^\// { print $1, $3 } END { exit bad }'
}

# Prints the Debian package that a file belongs to. /lib is a link to /usr/lib where the package database may not know it.
package_of() {
  local file
  file=$(readlink -f "$1")
  dpkg -S "$file" 2>/dev/null || dpkg -S "${file#/usr}"
}

# Prints the same of the parts that LibTorch, cuDNN and NVRTC load by name.
libraries_by_name() {
  local part
  for part in "$1"/torch/lib/lib{torch_cuda_linalg,caffe2_nvrtc}.so "$1"/nvidia/cudnn/lib/libcudnn_*.so.* \
    "$1"/nvidia/cu13/lib/libnvrtc-builtins.so.*; do
    echo "${part##*/} $part"
    libraries "$part" || return 1 # set -e has no effect in a command substitution
  done
}

collect_worker() {
  local program=$build/bin/ganscale wheels=("$here/../scripts/requirements/build.txt") name path site found part
  install -s -m 755 "$program" "$out/usr/local/bin/ganscale"
  install -m 755 "$here/entrypoint.sh" "$out/usr/local/bin/ganscale-entrypoint"
  install -m 755 "$here/sbom.sh" "$out/usr/local/share/ganscale/sbom.sh"
  local folder=$out/usr/local/lib/ganscale
  mkdir -p "$folder" "$out/etc/ld.so.conf.d"
  found=$(libraries "$program")
  site=$(sed -n '/\/site-packages\// { s|^[^ ]* \(.*/site-packages\)/.*|\1|p; q }' <<<"$found")
  if grep -q '^libtorch_cuda\.so ' <<<"$found"; then
    found+=$'\n'$(libraries_by_name "$site")
    wheels+=("$here/../scripts/requirements/test.txt")
  fi
  while read -r name path; do
    case $path in
      */site-packages/*)
        # LibTorch's libraries find each other by their places below site-packages.
        install -D -p -m 644 "$(readlink -f "$path")" "$folder/$(realpath -s --relative-to="$site" "$(realpath -s "$path")")"
        ;;
      *) package_of "$path" | sed 's/:.*//' ;;
    esac
  done <<<"$found" | sort -u >"$out/packages.txt"
  find "$folder" -name '*.so*' -printf '/usr/local/lib/ganscale/%P\n' | xargs -r -n 1 dirname | sort -u \
    >"$out/etc/ld.so.conf.d/ganscale.conf"
  # Name and version of each wheel that a library came from, for the bill of materials.
  sed -n 's/^\(torch\|pyarrow\|nvidia-[a-z0-9-]*\)==\([^ ]*\).*/\1 \2/p' "${wheels[@]}" >"$out/usr/local/share/ganscale/wheels.txt"
  # The terms under which they are passed on.
  while read -r name _; do
    for path in "$site/${name//-/_}"-*.dist-info/licenses; do
      [ ! -d "$path" ] || cp -r "$path" "$licenses/$name"
    done
    part=${name#nvidia-}
    for path in "$site/nvidia/${part%-cu*}"/LICENSE*; do
      [ ! -f "$path" ] || install -D -m 644 "$path" "$licenses/$name/${path##*/}"
    done
    [ -d "$licenses/$name" ] || echo "collect.sh: the image lacks the license of the wheel $name" >&2
  done <"$out/usr/local/share/ganscale/wheels.txt"
}

# Copies the licenses of Debian packages, by their names on standard input, and the common ones that they refer to.
copy_copyrights() {
  local package path
  cp -r /usr/share/common-licenses "$out/usr/share"
  while read -r package _; do
    path=/usr/share/doc/$package/copyright
    if [ -e "$path" ]; then
      install -D -m 644 "$path" "$out$path"
    else
      echo "collect.sh: the image lacks the license of the Debian package $package: $path is missing on this machine" >&2
    fi
  done
}

collect_operator() {
  local program=$build/bin/ganscale-operator name path loader found
  install -s -m 755 "$program" "$out/usr/local/bin/ganscale-operator"
  local folder=$out/usr/lib/x86_64-linux-gnu
  mkdir -p "$folder" "$out/lib64" "$out/etc" "$out/usr/share"
  loader=$(ldd "$program" | awk '$1 ~ /^\/lib64\/ld-linux/ { print $1 }')
  install -m 755 "$(readlink -f "$loader")" "$out$loader"
  found=$(libraries "$program")
  {
    package_of "$loader"
    while read -r name path; do
      install -m 644 "$(readlink -f "$path")" "$folder/$name"
      package_of "$path"
    done <<<"$found"
  } | sed 's/:.*//' | sort -u | xargs dpkg-query -W -f "\${Package} \${Version}\\n" >"$out/packages.txt"
  copy_copyrights <"$out/packages.txt"
  echo 'ganscale:x:65532:65532::/:/none' >"$out/etc/passwd"
  echo 'ganscale:x:65532:' >"$out/etc/group"
  echo 'hosts: files dns' >"$out/etc/nsswitch.conf"
  "$here/sbom.sh" ganscale-operator "$("$program" version | cut -d ' ' -f 2)" <"$out/packages.txt" \
    >"$out/usr/local/share/ganscale/sbom.spdx"
  rm "$out/packages.txt"
}

case $role in
  worker | operator) "collect_$role" ;;
  *) echo "collect.sh: unknown role: $role (worker, operator)" >&2; exit 64 ;;
esac
