#!/bin/sh
# As the published image: the data directory is given, further arguments are appended.
set -eu
exec node --max-old-space-size=256 node_modules/node-red/red.js --userDir /data "$@"
