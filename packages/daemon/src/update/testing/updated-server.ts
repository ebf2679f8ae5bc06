import { mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { UpdateOrder, UpdateReport } from '@hortus/contract/releases/daemon-update';
import { type RunningProcess, startProcess } from '@hortus/testkit/process';
import { standInModule } from '@hortus/testkit/programs';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { FakeService } from '../../testing/fake-service.ts';
import { localReleaseFile } from '../check-release.ts';
import { sha256Of } from '../checksum.ts';
import { UpdateStore } from '../update-record.ts';
import { ReleaseSigner } from './release-signer.ts';
import type { Behaviour } from './stand-in.ts';

export interface ServerOptions {
  /** Moment at which a stand-in kills itself, once. */
  readonly killAt?: string;
  /** Whether a service manager starts the daemon again; it also names itself as systemd does. */
  readonly managed?: boolean;
}

/** A server whose daemon is a stand-in, a scripted service, and downloads of other stand-ins. */
export class UpdatedServer {
  readonly service: FakeService;
  readonly signer = new ReleaseSigner();
  readonly #folder = temporaryFolder('update');
  readonly #http: Server;
  readonly #options: ServerOptions;
  /** Answers downloads; tests replace it. */
  download: (request: IncomingMessage, response: ServerResponse, file: string) => void = (_, response, file) => {
    response.end(readFileSync(file));
  };
  #published = '';
  #process: RunningProcess | undefined;
  #closed = false;
  #kept: Promise<void> | undefined;
  #orders = 0;

  private constructor(service: FakeService, options: ServerOptions) {
    this.service = service;
    this.#options = options;
    service.greeting = { server_id: 'srv_1', capabilities: ['ack', 'update'] };
    this.#http = createServer((request, response) => this.download(request, response, this.#published));
    mkdirSync(this.state, { recursive: true });
    for (const file of ['pids', 'acting']) writeFileSync(join(this.#folder.path, file), '');
  }

  /** Starts version 1.0.0. */
  static async start(options: ServerOptions = {}): Promise<UpdatedServer> {
    const server = new UpdatedServer(await FakeService.listen(), options);
    await new Promise<void>((done) => server.#http.listen(0, '127.0.0.1', done));
    server.write('hortusd', '1.0.0');
    server.#kept = server.#keep();
    await server.connected('1.0.0');
    return server;
  }

  get state(): string {
    return join(this.#folder.path, 'state');
  }

  get record() {
    return new UpdateStore(this.state).record;
  }

  /** Versions that opened the state directory as the daemon, in order. */
  get acted(): string[] {
    return readFileSync(join(this.#folder.path, 'acting'), 'utf8').trim().split('\n');
  }

  /** Processes of any version that are alive. */
  get alive(): number[] {
    const pids = readFileSync(join(this.#folder.path, 'pids'), 'utf8').trim().split('\n');
    return [...new Set(pids.map(Number))].filter(isAlive);
  }

  get output(): string {
    return this.#process?.output ?? '';
  }

  /** Writes a stand-in for a binary and returns its path. */
  write(name: string, version: string, behaviour: Behaviour = 'healthy'): string {
    const file = join(this.#folder.path, name);
    const module = JSON.stringify(standInModule);
    const self = `{ file: process.argv[1], version: '${version}', behaviour: '${behaviour}' }`;
    writeFileSync(file, `#!${process.execPath}\nimport(${module}).then(({ runStandIn }) => runStandIn(${self}));\n`, {
      mode: 0o755,
    });
    // The clock of the file system is coarse; a reinstalled binary must look different.
    utimesSync(file, new Date(), new Date(Date.now() - 1_000));
    return file;
  }

  /** Publishes a version and returns the order for it. */
  async prepare(version: string, behaviour: Behaviour = 'healthy'): Promise<UpdateOrder> {
    const published = this.write(`published-${version}`, version, behaviour);
    this.#published = published;
    const release = this.signer.sign({ file: localReleaseFile(), version, sha256: await sha256Of(published) });
    const update_id = `upd_${++this.#orders}`;
    const { size } = statSync(published);
    return { update_id, path: '/implant/linux/amd64/download', size, release, trial_seconds: 20 };
  }

  send(order: UpdateOrder): UpdateOrder {
    this.service.send({ type: 'daemon_update', ...order });
    return order;
  }

  /** Publishes a version and orders it. */
  async order(version: string, behaviour?: Behaviour, change: Partial<UpdateOrder> = {}): Promise<UpdateOrder> {
    return this.send({ ...(await this.prepare(version, behaviour)), ...change });
  }

  reports(id: string): UpdateReport[] {
    const reports = this.service.said('daemon_update_report') as unknown as UpdateReport[];
    return reports.filter(({ update_id }) => update_id === id);
  }

  /** Waits for the final report on an update. */
  outcome({ update_id }: UpdateOrder): Promise<UpdateReport> {
    const final = () => this.reports(update_id).find(({ state }) => ['done', 'returned', 'refused'].includes(state));
    return until(final, { describe: () => `the outcome\n${JSON.stringify(this.record)}\n${this.output}` });
  }

  connected(version: string): Promise<unknown> {
    return until(() => this.service.auths.at(-1)?.version === version && this.service.socket, {
      describe: () => `a connection of ${version}\n${this.output}`,
    });
  }

  /** Ends the daemon as `systemctl stop` does, or kills it. A managed one is started again. */
  async end(signal: NodeJS.Signals): Promise<void> {
    this.service.socket = undefined;
    await this.#process?.kill(signal);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#process?.stop();
    await this.#kept;
    for (const pid of this.alive) process.kill(pid, 'SIGKILL');
    await this.service.close();
    this.#http.closeAllConnections();
    await new Promise((done) => this.#http.close(done));
    await this.#folder.remove();
  }

  async #keep(): Promise<void> {
    const { managed = true, killAt } = this.#options;
    const path = (name: string) => join(this.#folder.path, name);
    do {
      this.#process = startProcess([path('hortusd'), 'run'], {
        env: {
          STAND_IN_STATE: this.state,
          STAND_IN_PIDS: path('pids'),
          STAND_IN_ACTING: path('acting'),
          STAND_IN_SERVICE: this.service.url,
          STAND_IN_DOWNLOADS: `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`,
          STAND_IN_KEYS: this.signer.text,
          STAND_IN_KILL_AT: killAt,
          INVOCATION_ID: managed ? 'test' : undefined,
        },
      });
      await this.#process.exited;
    } while (managed && !this.#closed);
  }
}

function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}
