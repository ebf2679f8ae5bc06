import { machine } from './machine.ts';

/** Its deployment is removed afterwards, whatever the result; that is not a state of the test. */
export const templateTestMachine = machine({
  name: 'template test',
  states: ['deploying', 'testing', 'passed', 'failed'],
  moves: [
    { move: 'begin', from: 'none', to: 'deploying' },
    { move: 'test', from: ['deploying'], to: 'testing' },
    { move: 'pass', from: ['testing'], to: 'passed' },
    { move: 'fail', from: ['deploying', 'testing'], to: 'failed' },
  ],
});
