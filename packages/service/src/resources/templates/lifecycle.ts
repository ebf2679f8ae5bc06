import { templateMachine } from '@hortus/contract/machines/template';
import type { Lifecycle } from '../../state/transition.ts';

export const templateLifecycle: Lifecycle<typeof templateMachine, 'templates'> = {
  machine: templateMachine,
  table: 'templates',
  resource: 'template',
  guards: {
    clean: (row) => row.validated_hash === row.spec_hash,
    promotable: (row) => row.validated_hash === row.spec_hash,
  },
  accountOf: (row) => row.owner,
  eventData: (row) => ({ template_id: row.id, species: row.species, version: row.version, status: row.status }),
};
