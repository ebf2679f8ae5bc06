import { openLog } from '@hortus/logging/log';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { success } from '../journal/action.ts';
import { type Journal, openJournal } from '../journal/journal.ts';
import { component, manifest } from '../plan/testing/manifests.ts';
import { request } from '../testing/actions.ts';
import { id, Signer } from '../testing/signing.ts';
import { Takeover } from './takeover.ts';
import { Tenure } from './tenure.ts';

let folder: ReturnType<typeof temporaryFolder>;
let journal: Journal;
let leads: boolean;
let ready: number;
let tenure: Tenure;
beforeEach(() => {
  folder = temporaryFolder('takeover');
  journal = openJournal(folder.path);
  leads = true;
  ready = 0;
  tenure = new Tenure();
});
afterEach(async () => {
  journal.close();
  await folder.remove();
});

const open = (catchUp: () => Promise<void> = async () => {}) =>
  new Takeover({
    journal,
    leads: () => leads,
    mayLead: () => leads,
    tenure,
    catchUp,
    onReady: () => void ready++,
    log: openLog({ level: 'error' }),
    retryMs: 5,
  });
const isReady = () => until(() => ready > 0, { describe: 'the takeover' });

const named = (execution_id: string) => ({ ...request('note', []), execution_id });

/** Leaves a deployment, two executions, a watch and a schedule unfinished, as a killed leader does. */
function leaveWork() {
  const signed = new Signer().sign(manifest('blog', [component('main')]));
  journal.deployments.receive({ id: id('dep', 1), definition_id: id('def'), revision: 2 }, 1);
  journal.deployments.start(id('dep', 1), signed);
  journal.deployments.receive({ id: id('dep', 2), definition_id: id('def'), revision: 3 }, 1);
  journal.executions.receive(named('exe_received'), 1);
  journal.executions.start(named('exe_started'), { kind: 'once' }, 1);
  journal.executions.start(named('exe_finished'), { kind: 'once' }, 1);
  journal.executions.finish('exe_finished', success('done'), 2);
  const run = {
    ...named('exe_scheduled'),
    scheduled: { definition_id: id('def'), due_at: 1 },
  };
  journal.executions.receive(run, 1);
  const watch = {
    instanceUid: 'blog',
    deploymentId: id('dep', 1),
    until: Date.now() + 60_000,
    irreversible: undefined,
  };
  journal.watches.begin({ ...watch, former: signed });
  journal.schedules.keep({
    instanceUid: 'blog',
    component: 'tidy',
    schedule: 'hourly',
    dueAt: 1,
    lastExecution: undefined,
  });
}

it('a member that leads again before another did resumes its work', () => {
  leaveWork();
  journal.lastTerm.begin(4);
  const takeover = open(() => Promise.reject(new Error('Not needed.')));
  takeover.begin({ epoch: 6, since: 3 });
  expect([ready, takeover.leads(), journal.lastTerm.epoch()]).toEqual([1, true, 6]);
  expect(journal.deployments.unfinished()).toHaveLength(2);
  expect(journal.executions.unfinished()).toHaveLength(3);
  expect(journal.watches.all()).toHaveLength(1);
});

it('after the time of another leader nothing of the own journal is resumed', async () => {
  leaveWork();
  journal.lastTerm.begin(4);
  const takeover = open();
  takeover.begin({ epoch: 6, since: 6 });
  await isReady();
  expect(journal.deployments.unfinished()).toEqual([]);
  expect(journal.executions.unfinished()).toEqual([]);
  expect([journal.watches.all(), journal.schedules.all()]).toEqual([[], []]);
  expect(journal.executions.find('exe_started')?.outcome).toMatchObject({ status: 'failed', outcome: 'unknown' });
  // Only the service does not know yet of the scheduled run and of the one that had finished.
  const unreported = journal.executions.unreported().map((execution) => [execution.id, execution.outcome?.outcome]);
  expect(unreported.sort()).toEqual([
    ['exe_finished', 'known'],
    ['exe_scheduled', 'unknown'],
  ]);
  expect(journal.lastTerm.epoch()).toBe(6);
});

it('nothing begins before it is known what is current, and orders wait until then', async () => {
  let fails = true;
  let asked = 0;
  const takeover = open(async () => {
    asked++;
    if (fails) throw new Error('The service does not respond.');
  });
  takeover.begin({ epoch: 1, since: 1 });
  const done: string[] = [];
  expect(takeover.when(() => done.push('order'))).toBe(true);
  await until(() => asked > 2, { describe: 'repeated attempts' });
  expect([takeover.leads(), done, journal.lastTerm.epoch()]).toEqual([false, [], undefined]);
  fails = false;
  await isReady();
  expect([takeover.leads(), done]).toEqual([true, ['order']]);
  leads = false;
  expect([takeover.leads(), takeover.when(() => done.push('late'))]).toEqual([false, false]);
});

it('a leadership that was lost meanwhile is not taken over', async () => {
  const asked: (() => void)[] = [];
  const takeover = open(() => new Promise<void>((resolve) => void asked.push(resolve)));
  takeover.begin({ epoch: 1, since: 1 });
  takeover.when(() => expect.fail('an order of a lost connection'));
  takeover.lost();
  takeover.reconnected();
  takeover.begin({ epoch: 3, since: 3 });
  expect(asked).toHaveLength(2);
  asked[0]?.();
  await new Promise(setImmediate);
  expect([ready, takeover.leads(), journal.lastTerm.epoch()]).toEqual([0, false, undefined]);
  asked[1]?.();
  await isReady();
  expect([ready, takeover.leads(), journal.lastTerm.epoch()]).toEqual([1, true, 3]);
});
