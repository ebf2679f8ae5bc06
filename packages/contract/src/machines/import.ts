import { machine } from './machine.ts';

export const importMachine = machine({
  name: 'import',
  states: ['receiving', 'completed', 'failed'],
  moves: [
    { move: 'order', from: 'none', to: 'receiving' },
    { move: 'complete', from: ['receiving'], to: 'completed' },
    { move: 'fail', from: ['receiving'], to: 'failed' },
  ],
});
