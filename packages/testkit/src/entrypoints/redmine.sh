#!/bin/sh
# As the published image: settings of the database come from the environment, and every start migrates it.
set -eu
case "$1" in rails | rake) ;; *) exec "$@" ;; esac
if [ "$(id -u)" = 0 ]; then
  rm -f config/database.yml Gemfile.lock
  {
    echo 'production:'
    echo '  adapter: postgresql'
    echo "  host: \"$REDMINE_DB_POSTGRES\""
    echo "  port: \"${REDMINE_DB_PORT:-5432}\""
    echo "  database: \"${REDMINE_DB_DATABASE:-redmine}\""
    echo "  username: \"${REDMINE_DB_USERNAME:-postgres}\""
    echo "  password: \"$REDMINE_DB_PASSWORD\""
    echo '  encoding: utf8'
  } > config/database.yml
  chown -R redmine:redmine config files log tmp public/plugin_assets
  exec setpriv --reuid redmine --regid redmine --clear-groups "$0" "$@"
fi
[ -s Gemfile.lock ] || bundle install --local --quiet
[ "$1" = rake ] || [ -n "${REDMINE_NO_DB_MIGRATE:-}" ] || rake db:migrate
rm -f tmp/pids/server.pid
exec "$@"
