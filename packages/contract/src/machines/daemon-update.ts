import { machine } from './machine.ts';

/** A stage begins when the one before is done. Failures above the limit halt the rest until a person decides. */
export const daemonUpdateMachine = machine({
  name: 'daemon-update',
  states: ['running', 'halted', 'completed', 'failed', 'cancelled'],
  moves: [
    { move: 'begin', from: 'none', to: 'running', event: 'daemon_update.started' },
    { move: 'advance', from: ['running'], to: 'running' },
    { move: 'halt', from: ['running'], to: 'halted', event: 'daemon_update.halted' },
    { move: 'continue', from: ['halted'], to: 'running' },
    { move: 'complete', from: ['running', 'halted'], to: 'completed', event: 'daemon_update.completed' },
    { move: 'fail', from: ['running', 'halted'], to: 'failed', event: 'daemon_update.failed' },
    { move: 'cancel', from: ['running', 'halted'], to: 'cancelled' },
  ],
});

/** The update of one daemon. An order that was sent cannot be taken back, so only a queued one can be cancelled. */
export const updateTargetMachine = machine({
  name: 'daemon-update-target',
  states: [
    'queued',
    'ordered',
    'downloading',
    'verified',
    'trying',
    'done',
    'returned',
    'refused',
    'unreachable',
    'cancelled',
  ],
  moves: [
    { move: 'queue', from: 'none', to: 'queued' },
    { move: 'order', from: ['queued'], to: 'ordered' },
    { move: 'download', from: ['ordered'], to: 'downloading' },
    { move: 'verify', from: ['ordered', 'downloading'], to: 'verified' },
    { move: 'try', from: ['ordered', 'downloading', 'verified'], to: 'trying' },
    // A daemon that was given up may still report its result.
    { move: 'finish', from: ['ordered', 'downloading', 'verified', 'trying', 'unreachable'], to: 'done' },
    { move: 'return', from: ['ordered', 'downloading', 'verified', 'trying', 'unreachable'], to: 'returned' },
    { move: 'refuse', from: ['ordered', 'downloading', 'verified', 'trying', 'unreachable'], to: 'refused' },
    { move: 'give_up', from: ['queued', 'ordered', 'downloading', 'verified', 'trying'], to: 'unreachable' },
    { move: 'cancel', from: ['queued'], to: 'cancelled' },
  ],
});
