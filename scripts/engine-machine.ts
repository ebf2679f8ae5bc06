import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { createInterface } from 'node:readline/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DebianPackage, installMissingPackages, missingPackages } from './debian-packages.ts';
import type { EngineMachine } from './engine-offer.ts';
import type { Run } from './run-command.ts';

/** Engine, routes and the image of hello, with what Docker only recommends but needs. */
const packages: readonly DebianPackage[] = [
  { name: 'docker.io', proof: ['dockerd'] },
  { name: 'caddy', proof: ['caddy'] },
  { name: 'busybox-static', proof: ['/bin/busybox', '/usr/bin/busybox'] },
  // Without it no registry is trusted.
  { name: 'ca-certificates', proof: ['/etc/ssl/certs/ca-certificates.crt'] },
];
/** Where the kernel has AppArmor, Docker starts no container without its parser. */
const apparmor: DebianPackage = { name: 'apparmor', proof: ['apparmor_parser'] };

const START_MS = 60_000;
/** Where Debian's own script for machines without systemd writes it. */
const LOG = '/var/log/docker.log';

export interface EngineMachineOptions {
  readonly run: Run;
  /** Whether the engine answers. */
  isUp(): Promise<boolean>;
  readonly env: NodeJS.ProcessEnv;
  /** Ends questions and waiting. */
  readonly signal: AbortSignal;
}

/** The machine that npm start runs on. */
export function engineMachine({ run, isUp, env, signal }: EngineMachineOptions): EngineMachine {
  const wanted = isOn('/sys/module/apparmor/parameters/enabled') ? [...packages, apparmor] : packages;
  const hasSystemd = existsSync('/run/systemd/system');
  const { stdin, stdout } = process;
  return {
    isRoot: process.getuid?.() === 0,
    // A DOCKER_HOST names an engine that someone else looks after.
    isDebian: existsSync('/usr/bin/apt-get') && !env.DOCKER_HOST,
    user: userInfo().username,
    startCommand: hasSystemd ? 'systemctl start docker' : `dockerd >>${LOG} 2>&1 &`,
    missing: () => missingPackages(wanted),
    ask: stdin.isTTY && stdout.isTTY ? (question) => askAtTerminal(question, signal) : undefined,
    async install(missing) {
      await installMissingPackages(
        run,
        wanted.filter(({ name }) => missing.includes(name)),
      );
      // The daemon runs a Caddy of its own, which needs ports 80 and 443.
      if (hasSystemd && missing.includes('caddy'))
        await run(['systemctl', 'disable', '--now', 'caddy'], { quiet: true });
    },
    start: async () => (hasSystemd ? await startUnit(run, isUp, signal) : await startAlone({ isUp, env, signal })),
    say: (line) => console.log(line),
  };
}

const isOn = (file: string): boolean => existsSync(file) && readFileSync(file, 'utf8').startsWith('Y');

/** The answer is yes unless it begins with n. The end of the input and an interruption are a no. */
async function askAtTerminal(question: string, signal: AbortSignal): Promise<boolean> {
  // The terminal handles the line, so that Ctrl-C remains a signal.
  const lines = createInterface({ input: process.stdin, output: process.stdout, terminal: false });
  const ended = once(lines, 'close').then(() => 'no');
  const reply = lines.question(`${question} [Y/n] `, { signal }).catch(() => 'no');
  const words = await Promise.race([reply, ended]);
  lines.close();
  return !words.trim().toLowerCase().startsWith('n');
}

async function startUnit(run: Run, isUp: () => Promise<boolean>, signal: AbortSignal): Promise<string> {
  if ((await run(['systemctl', 'enable', '--now', 'docker'], { quiet: true })) !== 0)
    throw new Error('Docker did not start; journalctl -u docker says why.');
  await untilUp({ isUp, ended: () => undefined, hint: 'journalctl -u docker says why', signal });
  return 'Docker was started, now and at every start of the machine (systemctl status docker).';
}

export interface StartOptions {
  isUp(): Promise<boolean>;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  /** Options of dockerd. */
  readonly args?: readonly string[];
  readonly log?: string;
}

/**
 * Starts Docker as a process of its own, which outlives npm start: its end would end all containers. Settings and secrets of the
 * service are no business of it.
 */
export async function startAlone({ isUp, env, signal, args = [], log = LOG }: StartOptions): Promise<string> {
  const output = openSync(log, 'a', 0o640);
  const own = Object.entries(env).filter(([name]) => !/^(HORTUS|npm_|OTEL_|NODE_)/.test(name));
  const child = spawn('dockerd', [...args], {
    cwd: '/',
    detached: true,
    stdio: ['ignore', output, output],
    env: { ...Object.fromEntries(own), PATH: `${env.PATH ?? ''}:/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin` },
  });
  closeSync(output);
  let end: string | undefined;
  child.on('error', (error) => {
    end = error.message;
  });
  child.on('exit', (code, signal) => {
    end = `it ended with ${code ?? signal}`;
  });
  child.unref();
  await untilUp({ isUp, ended: () => end, hint: `${log} says why`, signal });
  return `Docker was started as process ${child.pid}, because this machine has no systemd; its log is ${log}. It keeps running with the applications when npm start ends, and kill ${child.pid} stops all of them. After a restart of the machine, npm start starts it again.`;
}

interface Waiting {
  isUp(): Promise<boolean>;
  /** How the engine ended; undefined while it runs. */
  ended(): string | undefined;
  readonly hint: string;
  readonly signal: AbortSignal;
}

async function untilUp({ isUp, ended, hint, signal }: Waiting): Promise<void> {
  const late = performance.now() + START_MS;
  while (!(await isUp())) {
    const end = ended();
    if (end !== undefined) throw new Error(`Docker did not start: ${end}; ${hint}.`);
    if (performance.now() > late) throw new Error(`Docker did not answer within ${START_MS / 1000} s; ${hint}.`);
    await sleep(100, undefined, { signal });
  }
}
