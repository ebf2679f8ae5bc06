import type { DefinitionUpdate } from '@hortus/contract/resources/definitions';
import { isSecretInput, splitSecretInputs } from '@hortus/template/inputs/inputs';
import { actorOf, type Principal } from '../../identity/principal.ts';
import { accepted } from '../../records/accepted-inputs.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { Work } from '../../workers/job.ts';
import { type CatalogTemplate, checkInput, checkProfile, checkVariant } from '../templates/public.ts';
import { type Bindings, bindingsColumn } from './bindings.ts';
import { valuesOf } from './order.ts';
import { overridesColumn, overridesOf, readOverrides } from './overrides.ts';
import type { CurrentRow, DefinitionRow } from './store.ts';

/** Applies a PUT to the current revision: values merge, null removes, an omitted password stays in the vault. */
export async function readRevision(
  queries: Queries,
  work: Work,
  template: CatalogTemplate,
  before: CurrentRow,
  body: DefinitionUpdate,
  bindings: Bindings,
) {
  const held: string[] = JSON.parse(before.secret_inputs);
  const check = await checkInput(queries, work, template, valuesOf(body) ?? {}, {
    mode: 'merge',
    previous: JSON.parse(before.inputs),
    held,
  });
  const { values, removed } = accepted(check, body);
  const { plain, secret } = splitSecretInputs(template.spec, values);
  const removedSecrets = removed.filter((name) => isSecretInput(template.spec, name));
  const secretInputs = new Set([...held, ...Object.keys(secret)]).difference(new Set(removedSecrets));
  return {
    revision: {
      spec_hash: template.item.spec_hash,
      profile: checkProfile(template, body.profile ?? before.profile),
      variant: checkVariant(template, body.variant === undefined ? before.variant : body.variant),
      inputs: JSON.stringify(plain),
      secret_inputs: JSON.stringify([...secretInputs]),
      bindings: bindingsColumn(bindings),
      overrides: overridesColumn(readOverrides(template, body.overrides, overridesOf(before))),
    },
    secret,
    removedSecrets,
  };
}

/** Columns of the revision that a definition has as its current one. */
export const revisionColumns = (
  tx: Tx,
  principal: Principal,
  row: Pick<DefinitionRow, 'id' | 'current_revision' | 'template_id'>,
) => ({
  definition_id: row.id,
  number: row.current_revision,
  template_id: row.template_id,
  created_by: actorOf(principal),
  created_at: tx.now,
});
