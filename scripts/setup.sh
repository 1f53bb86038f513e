# SPDX-License-Identifier: GPL-3.0-or-later
# Shared by scripts/run and scripts/test, which source it: packages, configuration, build. Needs `root`, the project's folder.

say() { echo "moreau: $*" >&2; }

# Installs what packages.txt names and dpkg does not know as installed.
install_packages() {
  local wanted missing as_root=()
  mapfile -t wanted < <(grep -v '^#' "$root/scripts/packages.txt")
  mapfile -t missing < <(comm -23 <(printf '%s\n' "${wanted[@]}" | sort) \
    <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${wanted[@]}" 2>/dev/null | sed -n 's/^installed //p' | sort -u))
  [ ${#missing[@]} -eq 0 ] && return
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { say "these packages are missing, and only root or sudo can install them: ${missing[*]}"; exit 3; }
    as_root=(sudo)
  fi
  say "installing Debian packages (a few minutes the first time): ${missing[*]}"
  mkdir -p "$root/build"
  local log="$root/build/packages.log"
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get)
  if ! "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >"$log" 2>&1; then
    "${apt[@]}" update >>"$log" 2>&1 || true # lists are missing or old: fetch them and try again
    "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >>"$log" 2>&1 ||
      { tail -n 20 "$log" >&2; say "the packages could not be installed; the log is $log"; exit 3; }
  fi
}

# build PRESET TARGET...: configures where that was not done and builds, quietly.
build() {
  local preset=$1 log="$root/build/$1/build.log"
  shift
  mkdir -p "$root/build/$preset"
  cd "$root"
  if [ ! -f "build/$preset/build.ninja" ]; then
    say "configuring"
    cmake --preset "$preset" >"$log" 2>&1 || { cat "$log" >&2; say "the configuration failed; the log is $log"; exit 3; }
  fi
  # Says so only where there is something to build: a dry run of ninja cannot tell, it always wants to look for new files.
  (sleep 2 >/dev/null 2>&1; say "building (the first time takes some minutes)") &
  local notice=$!
  ninja -C "build/$preset" "$@" >"$log" 2>&1 || { kill "$notice" 2>/dev/null; tail -n 60 "$log" >&2; say "the build failed; the log is $log"; exit 3; }
  kill "$notice" 2>/dev/null || true
  cd "$OLDPWD"
}

# OpenMPI starts as root and on fewer cores than processes only if told so.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
