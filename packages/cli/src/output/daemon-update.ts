import type { DaemonUpdate, DaemonUpdateDetail, UpdateTarget } from '@hortus/contract/resources/daemon-updates';
import type { Terminal } from '../world/terminal.ts';
import { safeLine } from './safe-text.ts';
import { type Style, status } from './status.ts';
import { facts, table } from './table.ts';
import { count } from './words.ts';

export const updateStyles: Readonly<Record<DaemonUpdate['status'], Style>> = {
  running: 'begun',
  halted: 'warn',
  completed: 'good',
  failed: 'bad',
  cancelled: 'still',
};

const targetStyles: Readonly<Record<UpdateTarget['status'], Style>> = {
  queued: 'still',
  ordered: 'begun',
  downloading: 'begun',
  verified: 'begun',
  trying: 'begun',
  done: 'good',
  returned: 'bad',
  refused: 'bad',
  unreachable: 'bad',
  cancelled: 'still',
};

const sum = ({ stages }: DaemonUpdate, of: 'servers' | 'done' | 'failed'): number =>
  stages.reduce((total, stage) => total + stage[of], 0);

/** Returns for example `3 of 8 done, 1 failed`. */
export function progress(update: DaemonUpdate): string {
  const failed = sum(update, 'failed');
  return `${sum(update, 'done')} of ${sum(update, 'servers')} done${failed > 0 ? `, ${failed} failed` : ''}`;
}

/** Returns the state of an update in one sentence. */
export function verdict(update: DaemonUpdate): string {
  const { version, stage, stages, status: state, error } = update;
  const why = error === null ? '' : ` ${safeLine(error)}`;
  switch (state) {
    case 'running':
      return `The update to ${version} is in stage ${stage} of ${stages.length}: ${progress(update)}.`;
    case 'halted':
      return `The update to ${version} is halted in stage ${stage} of ${stages.length}: ${progress(update)}.${why}`;
    case 'completed':
      return `The update to ${version} is completed: ${progress(update)}.`;
    case 'failed':
      return `The update to ${version} failed: ${progress(update)}.${why}`;
    case 'cancelled':
      return `The update to ${version} was cancelled: ${progress(update)}.`;
  }
}

/** Returns what can be done with a halted update. */
const nextSteps = ({ id, status: state }: DaemonUpdate): string =>
  state === 'halted'
    ? `Continue with hortus servers updates continue ${id}, or stop with hortus servers updates cancel ${id}.\n`
    : '';

export const leftOutLines = ({ left_out }: DaemonUpdate): string =>
  left_out.map(({ message }) => `  ${safeLine(message)}\n`).join('');

/** Returns the whole record: the sentence, the servers by stage, and those left out. */
export function report(terminal: Terminal, update: DaemonUpdateDetail): string {
  const columns = [
    { title: 'Stage', text: ({ stage }: UpdateTarget) => `${stage}` },
    { title: 'Server', text: ({ server_name }: UpdateTarget) => server_name },
    { title: 'Environment', text: ({ environment }: UpdateTarget) => environment },
    { title: 'From', text: ({ from_version }: UpdateTarget) => from_version ?? '' },
    {
      title: 'Status',
      painted: (target: UpdateTarget) => status(terminal, target.status, targetStyles[target.status]),
    },
    { title: 'Error', text: ({ error }: UpdateTarget) => error ?? '' },
  ];
  const left = update.left_out.length === 0 ? '' : `Left out:\n${leftOutLines(update)}`;
  const id = facts(terminal, [
    ['Id', update.id],
    ['May fail', count(update.max_failed, 'server')],
  ]);
  return `${verdict(update)}\n${id}${table(terminal, columns, update.targets)}${left}${nextSteps(update)}`;
}
