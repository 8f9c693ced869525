#!/usr/bin/env bash
# debian.sh OUT: the Debian package OUT/management-apiserver_VERSION_amd64.deb, of what package.mjs wrote to OUT/package and
# of what hack/obtain-runtime.sh obtained, Node included: it needs no nodejs of the distribution. The same commit gives the same
# bytes, so SOURCE_DATE_EPOCH must be set.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

out=$(realpath "$1")
version=$(node -p 'require("./package.json").version')
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
umask 022
chmod 755 "$root"
runtime=.tools/runtime/amd64
installed=/usr/lib/management-apiserver
lib=$root$installed
doc=$root/usr/share/doc/management-apiserver
units=$root/usr/lib/systemd/system
mkdir -p "$lib" "$doc" "$units" "$root/usr/bin" "$root/DEBIAN"

node hack/release/installation.mjs "$out/package" "$runtime/node_modules" "$lib"
mv "$lib/LICENSE" "$doc/copyright"
mv "$lib/THIRD_PARTY_LICENSES.txt" "$doc"
gzip --no-name --best <CHANGELOG.md >"$doc/changelog.gz"
cp "$runtime/nodejs/LICENSE" "$doc/LICENSE.node"
cp "$runtime/nodejs/bin/node" "$lib/node"

# program NAME FOLDER: the program of dist/cmd/FOLDER, run by the Node beside it. After `--` Node takes no argument for itself: it would
# take `--env-file` of platform.
program() {
  sed -i "1s,^#!/usr/bin/env node\$,#!$installed/node --," "$lib/dist/cmd/$2/main.js"
  if [[ $(head -n 1 "$lib/dist/cmd/$2/main.js") != "#!$installed/node --" ]]; then
    echo "debian: dist/cmd/$2/main.js begins with something else than it did" >&2
    exit 1
  fi
  chmod 755 "$lib/dist/cmd/$2/main.js"
  ln -s "../lib/management-apiserver/dist/cmd/$2/main.js" "$root/usr/bin/$1"
}
find "$lib" "$doc" -type f -exec chmod 644 {} +
chmod 755 "$lib/node"
program management-apiserver apiserver
program management-agent agent
program platform platform
program kubectl-platform platform

# The unit of the repository, whose introduction is about a checkout.
sed -e '1i # The standalone server as a service: sudo systemctl enable --now management-apiserver' \
  -e '1,/^# Options/{/^# Options/!d}' \
  -e 's,/usr/bin/env node /opt/management-apiserver/dist/cmd/apiserver/main.js,/usr/bin/management-apiserver,' \
  deploy/systemd/management-apiserver.service >"$units/management-apiserver.service"
if ! grep -q '^ExecStart=/usr/bin/management-apiserver ' "$units/management-apiserver.service"; then
  echo 'debian: the unit starts something else than it did' >&2
  exit 1
fi

cat >"$root/DEBIAN/control" <<END
Package: management-apiserver
Version: ${version//-/\~}
Architecture: amd64
Maintainer: The management-apiserver maintainers <maintainers@management.svc.example>
Depends: libc6 (>= 2.28), libstdc++6
Section: admin
Priority: optional
Installed-Size: $(find "$root/usr" -type f -printf '%s\n' | awk '{ size += int(($1 + 1023) / 1024) } END { print size }')
Description: Management API as a Kubernetes-style API server
 The server, the agent for connected clusters and the command line client platform,
 with the Node that they run on.
 .
 The service is not started by the installation: systemctl enable --now management-apiserver
END
for script in postinst postrm; do
  printf '#!/bin/sh\nset -e\nif [ -d /run/systemd/system ]; then systemctl daemon-reload || true; fi\n' >"$root/DEBIAN/$script"
  chmod 755 "$root/DEBIAN/$script"
done
cat >"$root/DEBIAN/prerm" <<'END'
#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then systemctl disable --now management-apiserver || true; fi
END
chmod 755 "$root/DEBIAN/prerm"
(cd "$root" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum >DEBIAN/md5sums)

find "$root" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
dpkg-deb --root-owner-group -Zgzip -z"$GZIP_LEVEL" --build "$root" "$out/management-apiserver_${version}_amd64.deb" >/dev/null
