#!/bin/sh
# Like the published image: the broker runs as its own user; root in the container can read the same cookie.
set -eu
[ "$1" = rabbitmq-server ] || exec "$@"
chown -R rabbitmq:rabbitmq /var/lib/rabbitmq /var/log/rabbitmq
exec /usr/bin/setpriv --reuid rabbitmq --regid rabbitmq --clear-groups "$@"
