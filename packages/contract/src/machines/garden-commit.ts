import { machine } from './machine.ts';

/** A commit of a followed repository. Only the newest one is planned; an older one that was not applied is superseded. */
export const gardenCommitMachine = machine({
  name: 'garden-commit',
  states: [
    'found',
    'planned',
    'waiting',
    'approved',
    'applying',
    'applied',
    'failed',
    'rejected',
    'broken',
    'superseded',
  ],
  moves: [
    { move: 'find', from: 'none', to: 'found' },
    { move: 'plan', from: ['found'], to: 'planned', event: 'garden.commit.planned' },
    { move: 'break', from: ['found'], to: 'broken', event: 'garden.commit.broken' },
    { move: 'propose', from: ['planned'], to: 'waiting', event: 'garden.commit.waiting' },
    { move: 'approve', from: ['waiting'], to: 'approved' },
    { move: 'reject', from: ['waiting'], to: 'rejected' },
    { move: 'apply', from: ['planned', 'approved'], to: 'applying' },
    { move: 'succeed', from: ['applying'], to: 'applied', event: 'garden.commit.applied' },
    { move: 'fail', from: ['found', 'planned', 'approved', 'applying'], to: 'failed', event: 'garden.commit.failed' },
    { move: 'supersede', from: ['found', 'planned', 'waiting', 'approved'], to: 'superseded' },
  ],
});
