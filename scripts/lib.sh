# Sourced by the scripts beside it: where the tree is, messages, and the configure and build steps.
# shellcheck shell=bash
set -euo pipefail

source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
script_name=$(basename "$0")
script_path=$(cd "$(dirname "$0")" && pwd)/$script_name
script_path=${script_path#"$source_dir"/}
build_dir=$source_dir/build

die() {
  echo "$script_name: error: $*" >&2
  exit 1
}

wrong_usage() {
  echo "$script_name: error: $* (see $script_path --help)" >&2
  exit 2
}

step() {
  echo "$script_name: $*" >&2
}

# The comment block at the head of the calling script, as its help.
print_help() {
  sed -n '2,/^[^#]/{s/^# \{0,1\}//p}' "$0"
}

# our_sources SUFFIX...: every file of ours with such a suffix, one path from the root per line.
our_sources() {
  local IFS='|'
  find base isa module sim driver compiler host_cpu host_gpu api explore tools tests web -name node_modules -prune -o -type f -regextype posix-extended -regex ".*\.($*)" -print | sort
}

# rtl_configs FOLDER...: the configurations in these folders whose hardware is the RTL of this project, one path per line:
# all but those with the timing of the published HLS core.
rtl_configs() {
  find "$@" -maxdepth 1 -name '*.yaml' | sort | xargs -r grep -L '^timing: *hls'
}

# Compilation jobs: one per core, but at least 3 GB of memory for each: sources of the compiler that are compiled together
# can need more than 2.
compile_jobs() {
  local cores memory_gb
  cores=$(nproc)
  memory_gb=$(awk '/^MemTotal:/ {print int($2 / 1e6)}' /proc/meminfo)
  local jobs=$((memory_gb / 3 < cores ? memory_gb / 3 : cores))
  echo $((jobs > 0 ? jobs : 1))
}

# configure_build: brings build/ to the preset $build_preset, release unless the caller says demo, which leaves out what
# vta-run does not need; at once where it is configured already. What is configured for release serves the demo too.
build_preset=release
configure_build() {
  local fresh=()
  if [ -f "$build_dir/CMakeCache.txt" ]; then
    if grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$source_dir" "$build_dir/CMakeCache.txt"; then
      if [ -f "$build_dir/build.ninja" ]; then
        [ "$build_preset" = demo ] && return
        grep -q '^VTA_BUILD_SEARCH:.*=OFF$' "$build_dir/CMakeCache.txt" || return 0
      fi
    else
      fresh=(--fresh) # the tree was moved or copied together with its build folder
    fi
  fi
  command -v cmake >/dev/null || die "cmake is missing; run scripts/setup first"
  step "configuring $build_dir"
  (cd "$source_dir" && cmake --preset "$build_preset" "${fresh[@]}" -Wno-dev --log-level=WARNING) ||
    die "the configuration failed; output above"
}

# build_targets TARGET...: everything where none is named.
build_targets() {
  # Lets a second clone in another folder use what the compiler cache already has.
  export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$source_dir} CCACHE_NOHASHDIR=${CCACHE_NOHASHDIR:-1}
  configure_build
  cmake --build "$build_dir" --parallel "$(compile_jobs)" ${1:+--target "$@"} ||
    die "the build failed; output above"
}
