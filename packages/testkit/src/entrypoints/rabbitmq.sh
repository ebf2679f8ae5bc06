#!/bin/sh
# As the published image: the broker runs as its user; whoever is root in the container reads the same cookie.
set -eu
[ "$1" = rabbitmq-server ] || exec "$@"
chown -R rabbitmq:rabbitmq /var/lib/rabbitmq /var/log/rabbitmq
exec /usr/bin/setpriv --reuid rabbitmq --regid rabbitmq --clear-groups "$@"
