#!/bin/sh
# As the published image, but Debian has no JupyterLab: the same server without that page.
set -eu
exec jupyter server --ServerApp.ip=0.0.0.0 --ServerApp.port=8888 --no-browser "$@"
