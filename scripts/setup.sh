# SPDX-License-Identifier: GPL-3.0-or-later
# Shared by scripts/run and scripts/test, which source it: packages, configuration, build. Needs `root`, the project's folder.

say() { echo "moreau: $*" >&2; }

# report WHAT: reads the log of apt-get or ninja on its standard input and says how far it is, "WHAT [n/m]": on a terminal in one
# line that is written over, elsewhere once a minute.
report() {
  local what=$1 line n=0 m=0 last=$SECONDS
  while IFS= read -r line; do
    if [[ $line =~ ([0-9]+)\ newly\ installed ]]; then
      m=$((2 * BASH_REMATCH[1]))
    elif [[ $line =~ ^(Unpacking|Setting\ up)\  ]]; then
      n=$((n + 1))
    elif [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]]; then
      n=${BASH_REMATCH[1]} m=${BASH_REMATCH[2]}
    else
      continue
    fi
    [ "$m" -gt 1 ] || continue
    if [ -t 2 ]; then
      printf '\rmoreau: %s [%d/%d]' "$what" "$n" "$m" >&2
    elif [ $((SECONDS - last)) -ge 60 ]; then
      say "$what [$n/$m]"
      last=$SECONDS
    fi
  done
  if [ -t 2 ] && [ "$m" -gt 1 ]; then printf '\r\033[K' >&2; fi
}

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
  say "installing Debian packages (some minutes and up to 3.3 GB the first time): ${missing[*]}"
  mkdir -p "$root/build"
  local log="$root/build/packages.log"
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get)
  install_missing() {
    "${apt[@]}" install -y --no-install-recommends "${missing[@]}" 2>&1 | tee -a "$log" | report packages
  }
  : >"$log"
  if ! install_missing; then
    "${apt[@]}" update >>"$log" 2>&1 || true # lists are missing or old: fetch them and try again
    install_missing || { tail -n 20 "$log" >&2; say "the packages could not be installed; the log is $log"; exit 3; }
  fi
}

# build PRESET TARGET...: configures where that was not done and builds; says how far it is.
build() {
  local preset=$1 log="$root/build/$1/build.log"
  shift
  mkdir -p "$root/build/$preset"
  cd "$root"
  if [ ! -f "build/$preset/build.ninja" ]; then
    say "configuring and building (some minutes the first time)"
    cmake --preset "$preset" >"$log" 2>&1 || { cat "$log" >&2; say "the configuration failed; the log is $log"; exit 3; }
  fi
  NINJA_STATUS='[%f/%t] ' ninja -C "build/$preset" "$@" 2>&1 | tee "$log" | report building ||
    { tail -n 60 "$log" >&2; say "the build failed; the log is $log"; exit 3; }
  cd "$OLDPWD"
}

# OpenMPI starts as root and on fewer cores than processes only if told so.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
# The compiler's cache takes paths relative to the checkout: another folder of the same sources compiles nothing anew.
export CCACHE_BASEDIR=$root
