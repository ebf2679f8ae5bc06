#!/bin/sh
# As the published image: everything below /mosquitto is the broker's; the broker itself stops being root.
set -eu
[ "$(id -u)" != 0 ] || chown -R mosquitto:mosquitto /mosquitto
exec "$@"
