#!/bin/sh
# As the published image: a first start copies WordPress into its volume; settings come from the environment at each request.
set -eu
case "$1" in apache2*) ;; *) exec "$@" ;; esac
site=/var/www/html
if [ ! -e "$site/index.php" ] && [ ! -e "$site/wp-includes/version.php" ]; then
  # Debian links libraries of other packages; copies are independent of them.
  cp -RL /usr/share/wordpress/. "$site"
  rm -f "$site/wp-config.php"
  chown -R www-data:www-data "$site"
fi
if [ ! -s "$site/wp-config.php" ]; then
  cp /usr/src/wordpress/wp-config-docker.php "$site/wp-config.php"
  chown www-data:www-data "$site/wp-config.php"
fi
exec "$@"
