import { machine } from './machine.ts';

export const transferMachine = machine({
  name: 'transfer',
  states: ['pending', 'running', 'completed', 'failed', 'cancelled'],
  moves: [
    { move: 'order', from: 'none', to: 'pending' },
    { move: 'progress', from: ['pending', 'running'], to: 'running' },
    { move: 'complete', from: ['pending', 'running'], to: 'completed' },
    { move: 'fail', from: ['pending', 'running'], to: 'failed' },
    { move: 'cancel', from: ['pending', 'running'], to: 'cancelled' },
  ],
});
