// hortusd for tests: the same daemon, which kills itself once at the moment named by HORTUS_TEST_KILL_AT, or throws at that named by
// HORTUS_TEST_THROW_AT.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readConfig } from '../config/config.ts';
import { Daemon } from '../daemon.ts';
import { endOnCrash, openDaemonLog } from '../diagnostics/daemon-log.ts';
import { guarded } from '../guard.ts';
import { choosePorts } from '../ingress/ports.ts';

const text = { type: 'string' } as const;
const names = [
  ...(['key-file', 'state-dir', 'docker-socket', 'ingress-http', 'ingress-https', 'ingress-image'] as const),
  ...(['tunnel-image', 'drift-every'] as const),
] as const;
const accepted = Object.fromEntries(names.map((name) => [name, text]));
const options = { ...accepted, cluster: { type: 'boolean' } } as const;
const { values } = parseArgs({ args: process.argv.slice(3), options });
const config = readConfig(values as Record<string, string>, process.env);

const moments = join(config.stateDirectory, 'moments');
const killed = join(config.stateDirectory, 'killed');
const killAt = process.env.HORTUS_TEST_KILL_AT;
/** Contains the pid of the process to kill instead of this one. */
const victimFile = process.env.HORTUS_TEST_KILL_INSTEAD;
const engineMs = Number(process.env.HORTUS_TEST_ENGINE_MS) || undefined;

const throwAt = process.env.HORTUS_TEST_THROW_AT;

/** An error with secrets in its message, its stack and its cause, as one of a registry or of a container may be. */
function fail(): never {
  const secret = process.env.HORTUS_TEST_SECRET;
  const cause = new TypeError(`Authorization: Bearer ${secret}`);
  throw new Error(`GET https://me:${secret}@registry.example.org failed for ${config.key}`, { cause });
}

/** Records every moment, so that tests know which ones exist. */
function boundary(moment: string): void {
  appendFileSync(moments, `${moment}\n`);
  if (moment === throwAt) fail();
  if (moment !== killAt || existsSync(killed)) return;
  writeFileSync(killed, moment);
  const victim = victimFile === undefined ? process.pid : Number(/\d+/.exec(readFileSync(victimFile, 'utf8'))?.[0]);
  process.kill(victim, 'SIGKILL');
}

const log = openDaemonLog({ ...config, logLevel: 'warn' });
endOnCrash(log);
const engineTimeouts = engineMs && { quick: engineMs, heavy: engineMs, stop: engineMs, silence: engineMs };
const ingress = await choosePorts(config.ingress, config.stateDirectory);
const parts = { config, ingress, log, boundary };
new Daemon({ ...parts, ...(engineTimeouts && { engineTimeouts }) }).start();
if (throwAt === 'a listener') setTimeout(guarded(log, fail), 0);
if (throwAt === 'nowhere guarded') setTimeout(fail, 0);
// A killed process would not save its compile cache at exit.
flushCompileCache();
