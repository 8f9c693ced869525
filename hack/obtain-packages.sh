#!/usr/bin/env bash
# Installs programs of the distribution that tests run: shells, a terminal, a keychain, a browser, what makes faults and
# networks, a registry.
#
#   hack/obtain-packages.sh PROGRAM...
#
# Debian and its kin as root only. What cannot be had is named loudly; with CI=true that is a failure, otherwise the
# caller goes on without it.
set -euo pipefail

# package_of PROGRAM -> the Debian package that has it
package_of() {
  case "$1" in
    zsh | fish | tmux | chromium | strace | faketime | docker-registry | skopeo) echo "$1" ;;
    ip) echo iproute2 ;;
    dbus-run-session) echo dbus ;;
    gnome-keyring-daemon) echo gnome-keyring ;;
    *)
      echo "obtain-packages: unknown program '$1'" >&2
      return 2
      ;;
  esac
}

missing=()
packages=()
for program in "$@"; do
  package=$(package_of "$program")
  command -v "$program" >/dev/null && continue
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
