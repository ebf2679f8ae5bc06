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
    // Of one that failed nothing was kept.
    { move: 'vanish', from: ['failed', 'deleting'], to: 'deleted' },
  ],
});
