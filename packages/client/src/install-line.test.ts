import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { installCommand, installLine, isProtected } from './install-line.ts';

const server = { id: 'srv_1', api_key: 'hs_live_secret', manifest_public_key: 'MCow+/=' };
const sums = { amd64: 'a'.repeat(64), arm64: 'b'.repeat(64) };
/** Arguments of the program as a shell understands the line. */
const argumentsOf = (line: string): string[] =>
  execFileSync('sh', ['-c', `sh() { printf '%s\\0' "$@"; }; hortusd() { sh "$@"; }; ${line}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1);

it('the line for a new server contains both checksums, and gives the key to no command as an argument', () => {
  const line = installLine('https://hortus.example.org', server, sums);
  expect(line).toMatch(/^HORTUSD_KEY=hs_live_secret sh -c /);
  expect(line).not.toContain('\n');
  const [option, script, ...rest] = argumentsOf(line);
  expect([option, ...rest]).toEqual([
    ...['-c', 'hortus', 'https://hortus.example.org', sums.amd64, sums.arm64],
    ...['--url', 'https://hortus.example.org', '--server-id', 'srv_1', '--public-key', 'MCow+/='],
  ]);
  expect(script).not.toContain(server.api_key);
  execFileSync('sh', ['-n', '-c', script ?? '']);
});

it('the script contains no quote that would end its own', () => {
  expect(installLine('https://h.example.org', server, sums).split("'")).toHaveLength(3);
});

it('an address with shell characters stays one argument', () => {
  const origin = "https://h'$(reboot).example.org";
  expect(argumentsOf(installLine(origin, server, sums))[3]).toBe(origin);
  expect(argumentsOf(installCommand(origin, server))[2]).toBe(origin);
});

it('the line allows plain HTTP only to another machine without TLS', () => {
  expect(installLine('http://10.0.0.5:8080', server, sums)).toContain('--allow-plaintext');
  expect(installLine('http://127.0.0.1:8080', server, sums)).not.toContain('--allow-plaintext');
  expect(installCommand('http://10.0.0.5:8080', server)).toContain('--allow-plaintext');
  expect(isProtected('http://localhost.example.org')).toBe(false);
});

it('the daemon of a cluster is told to drive the Swarm', () => {
  expect(installCommand('https://h.example.org', { ...server, kind: 'cluster' })).toContain(' --cluster');
  expect(installLine('https://h.example.org', { ...server, kind: 'server' }, sums)).not.toContain('--cluster');
});
