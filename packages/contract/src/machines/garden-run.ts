import { machine } from './machine.ts';

/** A run applies a garden once. A proposed one waits for an approval first. */
export const gardenRunMachine = machine({
  name: 'garden-run',
  states: ['planned', 'waiting', 'applying', 'succeeded', 'failed', 'superseded'],
  moves: [
    { move: 'plan', from: 'none', to: 'planned', event: 'garden.planned' },
    { move: 'propose', from: ['planned'], to: 'waiting' },
    { move: 'begin', from: ['planned', 'waiting'], to: 'applying' },
    { move: 'succeed', from: ['applying'], to: 'succeeded', event: 'garden.applied' },
    { move: 'fail', from: ['planned', 'applying'], to: 'failed', event: 'garden.failed' },
    { move: 'supersede', from: ['planned', 'waiting'], to: 'superseded' },
  ],
});
