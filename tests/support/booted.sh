#!/bin/bash
# booted.sh PACKAGING PROGRAM WORKER SETTINGS AUTHORITY NODE: becomes systemd on a temporary copy of
# this machine's files, with our units installed. booted.ts calls it in separate name spaces.
set -euo pipefail
packaging=$1 program=$2 worker=$3 settings=$4 authority=$5 node=$6
base=$(mktemp -d)
mount --make-rprivate /
mount -t tmpfs tmpfs "$base"
mkdir "$base"/{root,upper,work}
root=$base/root
mount -t overlay overlay -o "lowerdir=/,upperdir=$base/upper,workdir=$base/work" "$root"
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
mount --rbind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/run"
mount -t tmpfs tmpfs "$root/tmp"

install -m 0644 "$packaging"/*.{service,socket,timer} "$root/usr/lib/systemd/system/"
install -m 0644 "$packaging/merpati.sysusers" "$root/usr/lib/sysusers.d/merpati.conf"
install "$program" "$root/usr/bin/merpati"
install "$node" "$root/usr/local/bin/node"
mkdir -p "$root/usr/lib/merpati/workers/linked"
cp -r "$worker/dist" "$worker/package.json" "$root/usr/lib/merpati/workers/linked/"
install -D -m 0644 "$settings" "$root/etc/merpati/merpati.toml"
install -m 0644 "$authority" "$root/etc/ssl/platform.pem"
chroot "$root" systemd-sysusers merpati.conf
# This machine may allow fewer open files than the units ask for. Leak detection does not work in
# the units' sandbox.
for unit in merpati.service merpati-worker@.service; do
  mkdir "$root/etc/systemd/system/$unit.d"
  printf '[Service]\nLimitNOFILE=%d\nEnvironment=ASAN_OPTIONS=detect_leaks=0\n' "$(ulimit -Hn)" \
    >"$root/etc/systemd/system/$unit.d/here.conf"
done

cd "$root"
mkdir former
pivot_root . former
umount -l /former
exec env -i container=other PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --system \
  --unit=basic.target --log-target=journal --log-level=notice --show-status=0
