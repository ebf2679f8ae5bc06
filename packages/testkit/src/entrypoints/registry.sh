#!/bin/sh
# As the published image: a configuration file alone means to serve it.
set -eu
case "$1" in
  *.yml | *.yaml) exec registry serve "$@" ;;
  *) exec "$@" ;;
esac
