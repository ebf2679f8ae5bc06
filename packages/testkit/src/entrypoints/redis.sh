#!/bin/sh
# As the published images of Redis and Valkey: the server runs as their user, who owns the data.
set -eu
case "$1" in redis-server | valkey-server) ;; *) exec "$@" ;; esac
find /data ! -user redis -exec chown redis:redis {} +
exec /usr/bin/setpriv --reuid redis --regid redis --clear-groups "$@"
