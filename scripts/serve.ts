// npm start: runs the service and, if a Docker engine answers, the daemon that makes this machine a server. Service and daemon
// never import each other, so this process is outside of both.
import { userInfo } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { askDocker } from '@hortus/cli/doctor/docker-engine';
import { VERSION } from '@hortus/contract/releases/version';
import { endOnSignal, type StartedService, startService } from '@hortus/service/start';
import { welcome } from '@hortus/service/welcome';
import { BackgroundAgentBuilder } from './agent-builder.ts';
import { engineMachine } from './engine-machine.ts';
import { offerEngine } from './engine-offer.ts';
import { runLocalDaemon } from './local-daemon.ts';
import { localServer, recordOf } from './local-server.ts';
import { commandRunner } from './run-command.ts';

let builder: BackgroundAgentBuilder | undefined;
const service = await startService(process.env, process.cwd(), ({ dataDirectory, agentDirectories }, log) => {
  const agents = join(dataDirectory, 'agents');
  // With a folder of its own the operator decides which binaries there are.
  if (!agentDirectories.includes(agents)) return undefined;
  builder = new BackgroundAgentBuilder({ folder: join(agents, 'built', sources()), log });
  return builder;
});
const { app, config, log } = service;
console.log(welcome(config, app).join('\n'));

let daemon: { stop(): Promise<void> } | undefined;
let becoming: Promise<string | undefined> | undefined;
const ending = new AbortController();
endOnSignal(log, async () => {
  ending.abort();
  // An interrupted installation tidies up after itself.
  await becoming;
  // Stops the daemon first, so that its last reports reach the service.
  await daemon?.stop();
  builder?.stop();
  await app.close();
});

if (config.localServer === 'auto') becoming = becomeServer(service);
const server = await becoming;
if (config.localServer === 'off') console.log('This machine is not a server: HORTUS_LOCAL_SERVER is off.');
console.log(`\nTry, while this runs:\n${thingsToTry(server).join('\n')}\n`);

/** Returns the server name of this machine; undefined if it cannot be a server. */
async function becomeServer({ localUrl }: StartedService): Promise<string | undefined> {
  const { socket, version, trouble } = await runningEngine();
  if (version === undefined && trouble === undefined) return undefined;
  if (version === undefined && trouble?.startsWith('you may not use')) {
    const command = `sudo usermod -aG docker ${userInfo().username}`;
    console.log(
      `This machine is not a server: ${trouble}. Allow it, log in again, then npm start again:\n  ${command}`,
    );
    return undefined;
  }
  if (version === undefined) {
    console.log(`This machine is not a server: ${trouble}`);
    return undefined;
  }
  const { dataDirectory } = config;
  try {
    const { name, server_id } = await localServer({
      baseUrl: `${localUrl}/api/v1`,
      dataDirectory,
      key: () =>
        app.passingKey({
          name: 'npm start',
          permissions: ['servers:read', 'servers:write', 'data:export'],
          lifetimeMs: 60_000,
        }),
    });
    daemon = runLocalDaemon({
      url: localUrl,
      keyFile: recordOf(dataDirectory),
      stateDirectory: join(dataDirectory, 'daemon', server_id),
      dockerSocket: socket,
      ingress: config,
      env: process.env,
      onLine: passOn,
      onEnd: (code, signal, pauseMs) =>
        log.warn(`hortusd ended (${signal ?? code}); it is started again in ${pauseMs / 1000} s`),
    });
    console.log(`This machine is the server ${name} (${server_id}), with Docker ${version} at ${socket}`);
    return name;
  } catch (error) {
    console.log(`This machine is not a server: ${(error as Error).message}`);
    return undefined;
  }
}

/** Finds the engine, or offers to install and start one. Neither version nor trouble: what to do was printed. */
async function runningEngine(): Promise<Awaited<ReturnType<typeof askDocker>>> {
  const found = await askDocker(process.env);
  const { version, trouble = '', socket } = found;
  if (version !== undefined || trouble.startsWith('you may not use')) return found;
  const run = commandRunner(process.cwd(), ending.signal);
  const isUp = async () => (await askDocker(process.env)).version !== undefined;
  try {
    const machine = engineMachine({ run, isUp, env: process.env, signal: ending.signal });
    return (await offerEngine(machine, { trouble, wish: config.installEngine }))
      ? await askDocker(process.env)
      : { socket };
  } catch (error) {
    return { socket, trouble: (error as Error).message };
  }
}

/** Writes the daemon's log lines to the log of the service. */
function passOn(line: string): void {
  let said: { level?: string; msg?: string; time?: string } | undefined;
  try {
    said = JSON.parse(line);
  } catch {
    said = undefined;
  }
  if (typeof said !== 'object' || said === null) {
    log.warn(byName(line));
    return;
  }
  const { level, msg, time: _, ...fields } = said;
  const known = level === 'debug' || level === 'warn' || level === 'error' ? level : 'info';
  log[known](fields, byName(msg ?? ''));
}

function byName(text: string): string {
  return text.startsWith('hortusd') ? text : `hortusd: ${text}`;
}

function thingsToTry(server: string | undefined): string[] {
  const { publicUrl } = config;
  const login = publicUrl === 'http://127.0.0.1:8420' ? 'npx hortus login' : `npx hortus login --url ${publicUrl}`;
  const next = server === undefined ? 'npx hortus catalog list' : 'npx hortus deploy hello --wait';
  return [login, next, `${publicUrl}/docs (in a browser)`].map((line) => `  ${line}`);
}

/** Names the sources that a binary is built from: the bundle, which is made again after each change of them (programs.mjs). */
function sources(): string {
  const [, main = ''] = process.argv;
  return main.endsWith('.mjs') ? `${VERSION}-${basename(dirname(dirname(main)))}` : VERSION;
}
