#!/bin/sh
# As the published image: a first start makes the cluster, the user and the database, reachable by its socket only.
set -eu
[ "$1" = postgres ] || exec "$@"
if [ "$(id -u)" = 0 ]; then
  mkdir -p "$PGDATA" /var/run/postgresql
  chown -R postgres:postgres "$PGDATA" /var/run/postgresql
  chmod 700 "$PGDATA"
  exec /usr/bin/setpriv --reuid postgres --regid postgres --clear-groups "$0" "$@"
fi
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  umask 077
  [ -z "${POSTGRES_PASSWORD_FILE:-}" ] || POSTGRES_PASSWORD="$(cat "$POSTGRES_PASSWORD_FILE")"
  printf '%s\n' "$POSTGRES_PASSWORD" > /tmp/password
  # Unquoted on purpose: it holds several arguments.
  initdb --username="${POSTGRES_USER:-postgres}" --pwfile=/tmp/password ${POSTGRES_INITDB_ARGS:-} > /dev/null
  rm /tmp/password
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  pg_ctl --wait --silent --options="-c listen_addresses=''" start
  database="${POSTGRES_DB:-${POSTGRES_USER:-postgres}}"
  [ "$database" = postgres ] || createdb --username="${POSTGRES_USER:-postgres}" "$database"
  for script in /docker-entrypoint-initdb.d/*.sql; do
    [ ! -f "$script" ] || psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --username="${POSTGRES_USER:-postgres}" --dbname="$database" --file="$script"
  done
  pg_ctl --wait --silent --mode=fast stop
fi
exec "$@" -c listen_addresses='*'
