// A daemon without an engine, to test updates: it takes the same lock, connects by the same channel, and lets the same code
// replace it. A stand-in for a binary is a script that calls it.
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLog } from '@hortus/logging/log';
import { takeStateDirectory } from '../../journal/state-directory.ts';
import { Channel } from '../../link/channel.ts';
import { becomeProgram, isSupervisedBySystemd } from '../become-program.ts';
import { runCandidate } from '../candidate.ts';
import { chooseProgram } from '../choose-program.ts';
import { readReleaseKeys } from '../release-key.ts';
import { type HandOver, type SupervisedDaemon, Supervisor } from '../supervisor.ts';
import { TRIAL_VARIABLE } from '../trial-messages.ts';
import { UpdateStore } from '../update-record.ts';
import { Updater } from '../updater.ts';

export type Behaviour = 'healthy' | 'unhealthy' | 'hangs' | 'crashes' | 'crashes later';

interface StandIn {
  readonly file: string;
  readonly version: string;
  readonly behaviour: Behaviour;
}

const env = (name: string): string => process.env[`STAND_IN_${name}`] ?? '';
const log = openLog({ level: 'info' });

/** @public Called by the scripts that `updated-server.ts` writes. */
export async function runStandIn(self: StandIn): Promise<void> {
  const [, , command, ...rest] = process.argv;
  if (command === 'version') process.stdout.write(`${self.version}\n`);
  else await run(self, ['run', ...rest]);
}

async function run({ file, version, behaviour }: StandIn, args: string[]): Promise<void> {
  appendFileSync(env('PIDS'), `${process.pid}\n`);
  const state = env('STATE');
  const store = new UpdateStore(state);
  const execute = (program: string) => becomeProgram(program, args);
  const channelTo = (updater: () => Updater | undefined, onUp: () => void): Channel =>
    new Channel({
      baseUrl: env('SERVICE'),
      key: () => 'hs_test_stand_in',
      about: async () => ({ version }),
      onMessage: (message) => message.type === 'daemon_update' && updater()?.order(message),
      onUp,
      log,
      times: { firstMs: 50, maxMs: 200 },
    });
  const former = process.env[TRIAL_VARIABLE];
  delete process.env[TRIAL_VARIABLE];
  if (former !== undefined && process.connected) {
    runCandidate({
      async open() {
        const taken = takeStateDirectory(state);
        boundary('candidate opened');
        const up = Promise.withResolvers<void>();
        const channel = channelTo(() => undefined, up.resolve);
        return {
          async prove(step) {
            step('behave');
            if (behaviour === 'unhealthy') throw new Error('the engine does not answer');
            if (behaviour === 'crashes') process.exit(3);
            if (behaviour === 'hangs') await new Promise(() => undefined);
            step('connect to the service');
            channel.start();
            await up.promise;
            boundary('candidate proved');
          },
          close() {
            channel.stop();
            taken.release();
          },
        };
      },
      becomeFormer: () => !isSupervisedBySystemd() && execute(former),
      log,
    });
    return;
  }
  await chooseProgram({ store, binary: file, log, execute });
  if (behaviour === 'crashes later') process.exit(4);
  const open = (handOver: HandOver): SupervisedDaemon => {
    const taken = takeStateDirectory(state);
    appendFileSync(env('ACTING'), `${version}\n`);
    const channel = channelTo(
      () => updater,
      () => updater.connected(),
    );
    const updater: Updater = new Updater({
      store,
      version,
      binary: file,
      keys: readReleaseKeys(env('KEYS')),
      service: { baseUrl: env('DOWNLOADS'), key: 'hs_test_stand_in' },
      channel: { send: (report) => channel.send(report) },
      quiet: async () => undefined,
      handOver,
      log,
      times: { backoff: { firstMs: 10, maxMs: 100 }, withinMs: 20_000 },
      boundary,
    });
    return {
      start() {
        channel.start();
        updater.start();
      },
      async stop() {
        await updater.stop();
        channel.stop();
        taken.release();
      },
    };
  };
  const onFatal = (error: Error) => {
    log.error({ err: error }, 'stand-in failed');
    process.exit(1);
  };
  const supervisor = new Supervisor({ store, binary: file, args, open, execute, onFatal, log, boundary });
  supervisor.start();
  process.once('SIGTERM', () => void supervisor.stop().then(() => process.exit(0)));
}

/** Kills this process once at the moment that the test chose. */
function boundary(moment: string): void {
  const killed = join(env('STATE'), 'killed');
  if (moment !== env('KILL_AT') || existsSync(killed)) return;
  writeFileSync(killed, moment);
  process.kill(process.pid, 'SIGKILL');
}
