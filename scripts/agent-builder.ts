import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { setPriority } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { type AgentPlatform, agentFileName } from '@hortus/contract/releases/agent-file';
import type { AgentBuilder, BuildState } from '@hortus/service/process/agent-builder';
import { endingWithParent } from '@hortus/testkit/orphan';

interface AgentBuilderOptions {
  /** Folder of this version's binaries. Those of other versions beside it are removed before the first build. */
  readonly folder: string;
  readonly log: { info(fields: object, text: string): void; warn(fields: object, text: string): void };
  /** The program that builds; tests replace it. Gets the processor and the folder as arguments. */
  readonly program?: readonly [string, ...string[]];
  /** How long a failure is the response before the next request tries again. */
  readonly failureMs?: number;
}

const FAILURE_MS = 60_000;
const MAX_ERROR_LENGTH = 1_000;
/** The lowest: the build must not slow down the service or the applications of this machine. */
const PRIORITY = 19;

const build: readonly [string, ...string[]] = [process.execPath, join(import.meta.dirname, 'build-agents.ts')];

/** Builds binaries of the daemon for `npm start`, one at a time, each in a process of its own. */
export class BackgroundAgentBuilder implements AgentBuilder {
  readonly folder: string;
  readonly #options: AgentBuilderOptions;
  readonly #queue = new Map<string, AgentPlatform>();
  readonly #failures = new Map<string, { readonly error: string; readonly until: number }>();
  #child: ChildProcess | undefined;
  #stopped = false;

  constructor(options: AgentBuilderOptions) {
    this.folder = options.folder;
    this.#options = options;
  }

  want(platform: AgentPlatform): BuildState {
    const name = agentFileName(platform);
    const failure = this.#failures.get(name);
    if (failure && performance.now() < failure.until) return { status: 'failed', error: failure.error };
    if (!this.#stopped && !this.#queue.has(name)) {
      this.#queue.set(name, platform);
      if (this.#queue.size === 1) this.#next();
    }
    return { status: 'building' };
  }

  /** Ends a running build; its unfinished files are removed by the next one. */
  stop(): void {
    this.#stopped = true;
    this.#child?.kill('SIGTERM');
  }

  #next(): void {
    const [first] = this.#queue;
    if (!first || this.#stopped) return;
    const [name, platform] = first;
    const from = performance.now();
    this.#options.log.info({ agent: name }, 'building the agent binary');
    this.#build(platform, (error) => {
      this.#queue.delete(name);
      this.#failures.delete(name);
      const seconds = Math.round((performance.now() - from) / 1_000);
      if (error === undefined) this.#options.log.info({ agent: name, seconds }, 'the agent binary was built');
      else if (!this.#stopped) {
        this.#failures.set(name, { error, until: performance.now() + (this.#options.failureMs ?? FAILURE_MS) });
        this.#options.log.warn({ agent: name, reason: error }, 'the agent binary was not built');
      }
      this.#next();
    });
  }

  #build({ arch }: AgentPlatform, end: (error: string | undefined) => void): void {
    const { folder, program = build } = this.#options;
    removeLeftovers(folder);
    const [command = '', ...args] = endingWithParent([...program, arch, '--into', folder], 'SIGTERM');
    const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    this.#child = child;
    let written = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      written = (written + text).slice(-MAX_ERROR_LENGTH);
    });
    let failure: string | undefined;
    child.once('error', ({ message }) => {
      failure = message;
    });
    // Comes also after an error.
    child.once('close', (code, signal) => {
      this.#child = undefined;
      end(failure ?? (code === 0 ? undefined : written.trim() || `The build ended with ${code ?? signal}.`));
    });
    try {
      if (child.pid !== undefined) setPriority(child.pid, PRIORITY);
    } catch {
      // It has ended already.
    }
  }
}

/** Removes what killed builds left, and binaries of other sources. Only this process writes there, and only one build runs. */
function removeLeftovers(folder: string): void {
  const remove = (parent: string, isLeftover: (name: string) => boolean) => {
    for (const name of existsSync(parent) ? readdirSync(parent) : [])
      if (isLeftover(name)) rmSync(join(parent, name), { recursive: true, force: true });
  };
  remove(folder, (name) => name.startsWith('.'));
  remove(dirname(folder), (name) => name !== basename(folder));
}
