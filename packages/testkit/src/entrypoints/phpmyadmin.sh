#!/bin/sh
# As the published image: a first start makes the secret of its cookies; limits come from the environment.
set -eu
secret=/etc/phpmyadmin/config.secret.inc.php
[ -e "$secret" ] || printf "<?php \$cfg['blowfish_secret'] = '%s';\n" "$(head -c 24 /dev/urandom | base64)" > "$secret"
mkdir -p /usr/local/etc/php/conf.d
printf 'upload_max_filesize = %s\npost_max_size = %s\n' "${UPLOAD_LIMIT:-2M}" "${UPLOAD_LIMIT:-8M}" > /usr/local/etc/php/conf.d/limits.ini
exec "$@"
