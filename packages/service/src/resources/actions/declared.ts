import type { BackupPlan, ListedAction } from '@hortus/contract/resources/actions';
import type { Canonical, CanonicalAction } from '@hortus/template/canonical/canonical-form';
import { projectBackup } from '@hortus/template/resolution/projections';

export interface Declared {
  readonly template_species: string;
  readonly actions: ListedAction[];
  readonly backup: BackupPlan;
}

/** Lists what the template declares, without built-in actions, which have their own endpoints. */
export const declaredOf = (spec: Canonical): Declared => ({
  template_species: spec.slug,
  actions: spec.actions.map(listed),
  backup: projectBackup(spec.backup),
});

const listed = ({ name, slug, description, type, timeout, dangerous, params }: CanonicalAction): ListedAction => ({
  name,
  slug,
  description,
  type,
  timeout,
  dangerous,
  params: params.map(listedParam),
});

type Param = CanonicalAction['params'][number];

const listedParam = ({ name, type, required = false, default: standard, label, description, options }: Param) => ({
  name,
  type,
  required,
  // The default of a password is secret.
  default: standard === undefined || type === 'password' ? null : standard,
  ...(label !== undefined && { label }),
  ...(description !== undefined && { description }),
  ...(options !== undefined && { options }),
});
