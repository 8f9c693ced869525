#!/usr/bin/env bash
# pack.sh FOLDER ARGUMENT...: writes a tar archive to standard output, with nothing in it that differs from machine to machine.
# ARGUMENTs are those of GNU tar: members, and options that go before these here. SOURCE_DATE_EPOCH must be set.
set -euo pipefail

folder=$1
shift
LC_ALL=C exec tar --create --sort=name --format=ustar --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
  --mode='u=rwX,go=rX' --directory="$folder" "$@"
