#!/usr/bin/env bash
# Installs the Debian packages of the named groups that are missing (list: tools/packages.txt).
#
#   tools/install-packages.sh build test
#
# Says what it installs and why. Touches neither network nor root rights when nothing is missing.
set -euo pipefail
list="$(dirname "$0")/packages.txt"

installed() { [[ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" == installed ]]; }
known() { apt-cache show "$1" >/dev/null 2>&1; }

# True if one of the alternatives a|b|command:c is there.
present() {
  local option
  for option in ${1//|/ }; do
    if [[ $option == command:* ]]; then
      if command -v "${option#command:}" >/dev/null; then return 0; fi
    elif installed "$option"; then
      return 0
    fi
  done
  return 1
}

# The first alternative that the package index knows; the first one when it knows none.
choose() {
  local option
  for option in ${1//|/ }; do
    if [[ $option != command:* ]] && known "$option"; then echo "$option"; return; fi
  done
  echo "${1%%|*}"
}

missing=() reasons=()
for group in "$@"; do
  grep -q "^$group " "$list" || { echo "no such package group: $group" >&2; exit 2; }
  while read -r _ package why; do
    present "$package" && continue
    missing+=("$package")
    reasons+=("$why")
  done < <(grep "^$group " "$list")
done
((${#missing[@]})) || exit 0

echo "These packages are missing:"
for i in "${!missing[@]}"; do printf '  %-22s %s\n' "${missing[i]%%|*}" "${reasons[i]}"; done
if ! command -v apt-get >/dev/null; then
  echo "This is not a Debian system: please install their equivalents yourself." >&2
  exit 1
fi

as_root=()
if [[ $(id -u) -ne 0 ]]; then
  command -v sudo >/dev/null || { echo "Please run this as root (sudo is not installed)." >&2; exit 1; }
  as_root=(sudo)
  echo "They will be installed with apt-get; sudo may ask for your password."
fi

# Servers are installed as yardsticks: they must not start, neither now nor at the next boot.
policy=/usr/sbin/policy-rc.d
policy_is_ours=
remove_policy() { if [[ -n $policy_is_ours ]]; then "${as_root[@]}" rm -f "$policy"; fi; }
trap remove_policy EXIT
servers=()
for package in "${missing[@]}"; do
  case $package in nginx | haproxy | varnish) servers+=("$package") ;; esac
done
if ((${#servers[@]})) && [[ ! -e $policy ]]; then
  policy_is_ours=yes
  printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$policy" >/dev/null
  "${as_root[@]}" chmod 755 "$policy"
fi

refresh() {
  echo "Refreshing the package index ..."
  "${as_root[@]}" apt-get -q update || { echo "Once more ..."; "${as_root[@]}" apt-get -q update; }
}
install() {
  local names=() package
  for package in "${missing[@]}"; do names+=("$(choose "$package")"); done
  echo "Installing: ${names[*]}"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -q -y install --no-install-recommends "${names[@]}"
}
refresh
install

if ((${#servers[@]})) && [[ -d /run/systemd/system ]]; then
  "${as_root[@]}" systemctl --quiet disable "${servers[@]}" || true
fi
