import { machine } from './machine.ts';

export const tenantMachine = machine({
  name: 'tenant',
  states: ['pending', 'active', 'suspended', 'migrating', 'deleted'],
  moves: [
    { move: 'create', from: 'none', to: 'pending' },
    { move: 'activate', from: ['pending', 'suspended', 'active'], to: 'active' },
    { move: 'suspend', from: ['pending', 'active', 'suspended'], to: 'suspended' },
    { move: 'resume', from: ['suspended', 'active'], to: 'active' },
    { move: 'migrate', from: ['active'], to: 'migrating' },
    { move: 'settle', from: ['migrating'], to: 'active' },
    { move: 'delete', from: ['pending', 'active', 'suspended'], to: 'deleted' },
  ],
});
