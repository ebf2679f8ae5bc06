#!/bin/sh
# As the published image: a master that keeps its workers, in the foreground.
set -eu
[ "$1" = haproxy ] || exec "$@"
shift
exec haproxy -W -db "$@"
