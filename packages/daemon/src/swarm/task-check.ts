import type { ManifestHealthcheck } from '@hortus/contract/template/manifest';
import type { CommandCheck } from '../engine/container-spec.ts';

/**
 * Longest pause between two checks by the engine. Its first check comes a whole interval after the start, and every task of an
 * update waits for it.
 */
const MAX_INTERVAL_MS = 5_000;

/**
 * Turns a health check into a command of the container. A daemon reaches the tasks of its own node at most, so it cannot probe
 * HTTP and TCP itself, and an update by the Swarm is gated by the engine's check alone.
 */
export function taskCheck(check: ManifestHealthcheck): CommandCheck {
  const intervalMs = Math.max(1, Math.min(check.interval_ms, MAX_INTERVAL_MS));
  return {
    argv: check.test ?? probeArgv(check),
    intervalMs,
    timeoutMs: check.timeout_ms,
    startPeriodMs: check.start_period_ms,
    // The same patience with more frequent checks.
    retries: Math.max(1, Math.ceil((check.retries * check.interval_ms) / intervalMs)),
  };
}

function probeArgv({ http, tcp }: ManifestHealthcheck): string[] {
  // Values are arguments of the script, never part of it.
  if (http) {
    const headers = Object.entries(http.headers).map(([name, value]) => `${name}: ${value}`);
    const expected = http.expect === undefined ? '' : String(http.expect);
    return ['/bin/sh', '-c', HTTP_PROBE, 'probe', String(http.port), http.scheme, http.path, expected, ...headers];
  }
  if (tcp) return ['/bin/sh', '-c', TCP_PROBE, 'probe', String(tcp.port)];
  return ['/bin/true'];
}

/** Looks for a listening socket with the shell alone, because few images have a program for it. 0A is the state LISTEN. */
const LISTENS = `listens() {
  hex=$(printf ':%04X' "$port")
  for table in /proc/net/tcp /proc/net/tcp6; do
    [ -r "$table" ] || continue
    while read -r _ local _ state _; do
      case "$local/$state" in *"$hex/0A") return 0 ;; esac
    done < "$table"
  done
  echo "nothing listens on port $port"
  return 1
}`;

const TCP_PROBE = `port=$1
${LISTENS}
listens`;

/** Uses the program that the image has; without any, an open port has to do. */
const HTTP_PROBE = `port=$1 scheme=$2 path=$3 expect=$4
shift 4
${LISTENS}
fits() {
  if [ -n "$expect" ]; then [ "$1" = "$expect" ] && return 0
  else case "$1" in [23]??) return 0 ;; esac; fi
  echo "$path on port $port returned status \${1:-none}"
  return 1
}
url="$scheme://127.0.0.1:$port$path"
if command -v curl > /dev/null 2>&1; then
  for header; do set -- "$@" -H "$header"; shift; done
  fits "$(curl -s -k -o /dev/null -w '%{http_code}' "$@" "$url")"
elif command -v wget > /dev/null 2>&1; then
  for header; do set -- "$@" --header "$header"; shift; done
  [ "$scheme" = http ] || set -- "$@" --no-check-certificate
  fits "$(wget -S -O /dev/null "$@" "$url" 2>&1 | while read -r word code _; do
    case "$word" in HTTP/*) echo "$code"; break ;; esac
  done)"
elif [ "$scheme" = http ] && command -v bash > /dev/null 2>&1; then
  fits "$(bash -c 'exec 3<> "/dev/tcp/127.0.0.1/$1" || exit
    { printf "GET %s HTTP/1.0\\r\\nHost: localhost\\r\\n" "$2"; shift 2
      for header; do printf "%s\\r\\n" "$header"; done; printf "\\r\\n"; } >&3
    read -r _ code _ <&3; echo "$code"' probe "$port" "$path" "$@")"
else
  listens
fi`;
