#!/bin/sh
# As the published image: a first start makes the database file, later ones bring it to this version.
set -eu
case "$1" in apache2*) ;; *) exec "$@" ;; esac
data=/var/roundcube/db
sql=/usr/share/roundcube/SQL
mkdir -p "$data"
if [ ! -e "$data/sqlite.db" ]; then
  php -r '$db = new SQLite3($argv[1]); exit($db->exec(file_get_contents($argv[2])) ? 0 : 1);' "$data/draft.db" "$sql/sqlite.initial.sql"
  mv "$data/draft.db" "$data/sqlite.db"
fi
chown -R www-data:www-data "$data"
php /usr/share/roundcube/bin/updatedb.sh --package=roundcube --dir="$sql"
exec "$@"
