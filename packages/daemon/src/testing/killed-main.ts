// hortusd for tests: the same daemon, which kills itself once at the moment named by HORTUS_TEST_KILL_AT.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readConfig } from '../config.ts';
import { Daemon } from '../daemon.ts';
import { choosePorts } from '../ingress/ports.ts';
import { openLog } from '../log.ts';

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

/** Records every moment, so that tests know which ones exist. */
function boundary(moment: string): void {
  appendFileSync(moments, `${moment}\n`);
  if (moment !== killAt || existsSync(killed)) return;
  writeFileSync(killed, moment);
  const victim = victimFile === undefined ? process.pid : Number(/\d+/.exec(readFileSync(victimFile, 'utf8'))?.[0]);
  process.kill(victim, 'SIGKILL');
}

const engineTimeouts = engineMs && { quick: engineMs, heavy: engineMs, stop: engineMs, silence: engineMs };
const ingress = await choosePorts(config.ingress, config.stateDirectory);
const parts = { config, ingress, log: openLog('warn'), boundary };
new Daemon({ ...parts, ...(engineTimeouts && { engineTimeouts }) }).start();
// A killed process would not save its compile cache at exit.
flushCompileCache();
