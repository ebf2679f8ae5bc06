#!/bin/sh
# As the published image: a first start makes the system tables, root's password, the database and its user, without a network.
set -eu
[ "$1" = mariadbd ] || exec "$@"
data=/var/lib/mysql
if [ "$(id -u)" = 0 ]; then
  chown -R mysql:mysql "$data" /run/mysqld
  exec /usr/bin/setpriv --reuid mysql --regid mysql --clear-groups "$0" "$@"
fi
quoted() { printf %s "$1" | sed "s/[\\\\']/\\\\&/g"; }
# A database and its user are made only for who names them.
wanted() {
  [ -n "${MARIADB_DATABASE:-}" ] || return 0
  printf 'CREATE DATABASE `%s`;\n' "$MARIADB_DATABASE"
  printf "CREATE USER '%s'@'%%' IDENTIFIED BY '%s';\n" "$MARIADB_USER" "$(quoted "$MARIADB_PASSWORD")"
  printf "GRANT ALL ON \`%s\`.* TO '%s'@'%%';\n" "$MARIADB_DATABASE" "$MARIADB_USER"
  for script in /docker-entrypoint-initdb.d/*.sql; do [ ! -e "$script" ] || cat "$script"; done
}
if [ ! -d "$data/mysql" ]; then
  mariadb-install-db --datadir="$data" --auth-root-authentication-method=normal --skip-test-db > /dev/null
  health="$(head -c 24 /dev/urandom | base64 | tr -d '+/=')"
  printf '[mariadb-client]\nuser=healthcheck\npassword=%s\n' "$health" > "$data/.my-healthcheck.cnf"
  # Statements that a server without a network runs and then ends.
  mariadbd --datadir="$data" --bootstrap <<SQL
FLUSH PRIVILEGES;
ALTER USER 'root'@'localhost' IDENTIFIED BY '$(quoted "$MARIADB_ROOT_PASSWORD")';
CREATE USER 'root'@'%' IDENTIFIED BY '$(quoted "$MARIADB_ROOT_PASSWORD")';
GRANT ALL ON *.* TO 'root'@'%' WITH GRANT OPTION;
CREATE USER 'healthcheck'@'127.0.0.1' IDENTIFIED BY '$health';
$(wanted)
SQL
fi
exec "$@"
