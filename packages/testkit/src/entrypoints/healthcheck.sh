#!/bin/sh
# As the published image of MariaDB: checks as a user without rights, whose password is beside the data.
set -eu
ask() { mariadb --defaults-extra-file=/var/lib/mysql/.my-healthcheck.cnf --protocol=tcp --host=127.0.0.1 --skip-column-names --batch "--execute=$1"; }
for check in "$@"; do
  case "$check" in
    --connect) ask 'select 1' > /dev/null ;;
    --innodb_initialized)
      # Only a running engine has a buffer pool.
      [ "$(ask "select count(*) from information_schema.engines where engine = 'innodb' and support in ('yes', 'default')")" = 1 ] ;;
    *) echo "healthcheck.sh: unknown check $check" >&2; exit 1 ;;
  esac
done
