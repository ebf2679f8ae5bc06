import { machine } from './machine.ts';

/** Its copy is removed afterwards, whatever the result; that is not a state of the rehearsal. */
export const rehearsalMachine = machine({
  name: 'rehearsal',
  states: ['preparing', 'restoring', 'applying', 'testing', 'passed', 'failed'],
  moves: [
    { move: 'prepare', from: 'none', to: 'preparing' },
    { move: 'restore', from: ['preparing'], to: 'restoring' },
    { move: 'apply', from: ['restoring'], to: 'applying' },
    { move: 'test', from: ['restoring', 'applying'], to: 'testing' },
    { move: 'pass', from: ['testing'], to: 'passed' },
    { move: 'fail', from: ['preparing', 'restoring', 'applying', 'testing'], to: 'failed' },
  ],
});
