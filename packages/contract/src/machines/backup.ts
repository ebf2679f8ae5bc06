import { machine } from './machine.ts';

export const backupMachine = machine({
  name: 'backup',
  states: ['pending', 'completed', 'failed', 'deleting', 'deleted'],
  moves: [
    { move: 'order', from: 'none', to: 'pending' },
    { move: 'complete', from: ['pending'], to: 'completed' },
    { move: 'fail', from: ['pending'], to: 'failed' },
    { move: 'delete', from: ['completed'], to: 'deleting' },
    { move: 'spare', from: ['deleting'], to: 'completed' },
    // A failed backup has no data, so it needs no deletion by the daemon.
    { move: 'vanish', from: ['failed', 'deleting'], to: 'deleted' },
  ],
});
