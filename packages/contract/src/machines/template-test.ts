import { machine } from './machine.ts';

/** Its deployment is removed afterwards, whatever the result; that is not a state of the test. */
export const templateTestMachine = machine({
  name: 'template test',
  states: ['deploying', 'testing', 'passed', 'failed'],
  moves: [
    { move: 'begin', from: 'none', to: 'deploying' },
    { move: 'test', from: ['deploying'], to: 'testing' },
    // Without smoke checks it passes once it is deployed.
    { move: 'pass', from: ['deploying', 'testing'], to: 'passed' },
    { move: 'fail', from: ['deploying', 'testing'], to: 'failed' },
  ],
});
