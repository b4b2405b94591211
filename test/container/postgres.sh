#!/usr/bin/env bash
# Does of docker-library/postgres what docker/compose.yml asks of it: makes the database once, then runs the command.
set -euo pipefail
if [[ ! -s $PGDATA/PG_VERSION ]]; then
  initdb --pgdata "$PGDATA" --username "$POSTGRES_USER" --pwfile <(echo "$POSTGRES_PASSWORD") --auth-local trust \
    --auth-host scram-sha-256 >/dev/null
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  pg_ctl --pgdata "$PGDATA" --wait --options "-c listen_addresses='' -c unix_socket_directories=/tmp" start >/dev/null
  createdb --host /tmp --username "$POSTGRES_USER" "$POSTGRES_DB"
  pg_ctl --pgdata "$PGDATA" --wait stop >/dev/null
fi
exec "$@" -c listen_addresses='*' -c unix_socket_directories=/tmp
