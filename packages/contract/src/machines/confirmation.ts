import { machine } from './machine.ts';

export const confirmationMachine = machine({
  name: 'confirmation',
  states: ['pending', 'confirmed', 'done', 'failed', 'rejected', 'expired'],
  moves: [
    { move: 'request', from: 'none', to: 'pending' },
    { move: 'confirm', from: ['pending'], to: 'confirmed' },
    { move: 'reject', from: ['pending'], to: 'rejected' },
    { move: 'expire', from: ['pending'], to: 'expired' },
    { move: 'complete', from: ['confirmed'], to: 'done' },
    { move: 'fail', from: ['confirmed'], to: 'failed' },
  ],
});
