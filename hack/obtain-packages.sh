#!/usr/bin/env bash
# Installs programs of the distribution that tests run: shells, a terminal, a keychain, a browser, a proxy, what makes faults and
# networks, a registry. Those that need nothing else of their package are put into .tools/bin instead, and nothing is installed.
#
#   hack/obtain-packages.sh PROGRAM...
#
# Debian and its kin, to install as root only. What cannot be had is named loudly; with CI=true that is a failure, otherwise the
# caller goes on without it.
set -euo pipefail

# package_of PROGRAM -> the Debian package that has it
package_of() {
  case "$1" in
    zsh | fish | tmux | jq | chromium-headless-shell | nginx | strace | faketime | docker-registry | skopeo | nbdkit) echo "$1" ;;
    ip) echo iproute2 ;;
    nbdfuse) echo libnbd-bin ;;
    dbus-run-session) echo dbus ;;
    gnome-keyring-daemon) echo gnome-keyring ;;
    prometheus | promtool) echo prometheus ;;
    qemu-aarch64-static) echo qemu-user-static ;;
    python3) echo python3-venv ;;
    javac) echo default-jdk-headless ;;
    mvn) echo maven ;;
    cargo) echo cargo ;;
    *)
      echo "obtain-packages: unknown program '$1'" >&2
      return 2
      ;;
  esac
}

# unpack PROGRAM -> into .tools/bin, of a package that would start a service or serve the whole machine if it were installed
unpack() {
  local bin folder
  bin="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/.tools/bin"
  [[ ! -x $bin/$1 ]] || return 0
  folder=$(mktemp -d)
  echo "obtain-packages: unpacking $1 of $(package_of "$1")" >&2
  [[ $(id -u) != 0 ]] || apt-get update -qq >&2 || true
  if (cd "$folder" && apt-get download -qq "$(package_of "$1")" && dpkg-deb --extract ./*.deb .) >&2; then
    mkdir -p "$bin" && mv "$folder"/usr/*bin/"$1" "$bin/$1"
  fi
  rm -rf "$folder"
  [[ -x $bin/$1 ]]
}

# apt-get does not wait for another one. Programs that came meanwhile are found below.
exec 9>"${TMPDIR:-/tmp}/obtain-packages.lock"
flock 9

missing=()
packages=()
for program in "$@"; do
  package=$(package_of "$program")
  command -v "$program" >/dev/null && continue
  case "$program" in nginx | prometheus | promtool | qemu-aarch64-static) unpack "$program" && continue ;; esac
  missing+=("$program")
  packages+=("$package")
done
[[ ${#missing[@]} -gt 0 ]] || exit 0

if command -v apt-get >/dev/null && [[ "$(id -u)" == 0 ]]; then
  echo "obtain-packages: installing ${packages[*]}" >&2
  export DEBIAN_FRONTEND=noninteractive
  if { apt-get update -qq && apt-get install -y -qq --no-install-recommends "${packages[@]}"; } >&2; then exit 0; fi
fi
echo "obtain-packages: NOT AVAILABLE: ${missing[*]} (packages ${packages[*]}); tests with them cannot run" >&2
[[ "${CI:-}" != true ]] || exit 1
