import type { UpgradeApply } from '@hortus/contract/resources/upgrades';
import { generateSecrets } from '@hortus/template/secrets/secrets';
import { actorOf, type Principal } from '../../identity/principal.ts';
import { conflict, notFound, Problem } from '../../problem.ts';
import { transition } from '../../state/transition.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { Vault } from '../../vault/vault.ts';
import type { Work } from '../../workers/job.ts';
import { type CatalogTemplate, compareTemplates } from '../templates/public.ts';
import { bindingsOf } from './bindings.ts';
import { secretValues } from './deployable.ts';
import { definitionLifecycle } from './lifecycle.ts';
import { readRevision, revisionColumns } from './revise.ts';
import { keepGenerated, storeUserSecrets } from './secrets.ts';
import {
  type CurrentRow,
  findDefinition,
  findRevision,
  insertRevision,
  listSecrets,
  lockDefinition,
  removeSecret,
  setLastRevision,
} from './store.ts';

/** The running template and the one to upgrade to. */
export interface Passage {
  readonly from: CatalogTemplate;
  readonly to: CatalogTemplate;
  /** Number of the running revision. */
  readonly running: number;
}

type Choices = Pick<UpgradeApply, 'inputs' | 'profile' | 'variant'>;

/** Generates the secrets that the newer template adds; before the transaction, because keys are slow to create. */
export async function secretsFor(
  queries: Queries,
  vault: Vault,
  { accountId }: Principal,
  definitionId: string,
  to: CatalogTemplate,
): Promise<Record<string, string>> {
  const held = await secretValues(queries, vault, { accountId, definitionId });
  return generateSecrets(to.spec, { existing: Object.fromEntries(held.map(({ name, value }) => [name, value])) });
}

/**
 * Creates the revision for a newer template, keeping the user's choices. It does not become current yet, because steps
 * before its deployment may fail. Returns its number.
 */
export async function stageRevision(
  tx: Tx,
  { vault, work }: { readonly vault: Vault; readonly work: Work },
  principal: Principal,
  definitionId: string,
  passage: Passage,
  choices: Choices,
  generated: Readonly<Record<string, string>>,
): Promise<number> {
  const { accountId } = principal;
  const { to, running } = passage;
  if (!(await lockDefinition(tx, accountId, definitionId))) throw notFound('definition');
  const row = await findDefinition(tx, accountId, definitionId);
  if (!row) throw notFound('definition');
  if (row.status === 'archived') throw conflict('definition_id', 'archived', 'the definition is archived.');
  if (row.current_revision !== running)
    throw conflict(
      'definition_id',
      'undeployed_changes',
      `revision ${row.current_revision} is current but revision ${running} runs; deploy the current one or restore the running one first.`,
      { current_revision: row.current_revision, running_revision: running },
    );
  const chosen = await carriedOver(tx, work, row, passage, choices);
  const kept = Object.entries(bindingsOf(row)).filter(([need]) => to.spec.needs.some(({ as }) => as === need));
  const changes = withoutDropped(row, passage, choices);
  const next = await readRevision(tx, work, to, chosen, changes, Object.fromEntries(kept));
  const number = row.last_revision + 1;
  await setLastRevision(tx, definitionId, number);
  const owner = { accountId, definitionId };
  const held = new Set((await listSecrets(tx, definitionId)).map(({ name }) => name));
  const missing = Object.fromEntries(Object.entries(generated).filter(([name]) => !held.has(name)));
  await insertRevision(tx, {
    ...next.revision,
    changed_secrets: JSON.stringify([...Object.keys(next.secret), ...Object.keys(missing)]),
    ...revisionColumns(tx, principal, { id: definitionId, current_revision: number, template_id: to.item.id }),
  });
  await keepGenerated(tx, vault, owner, to.spec, missing);
  await storeUserSecrets(tx, vault, owner, to.spec, next.secret);
  for (const name of next.removedSecrets) await removeSecret(tx, definitionId, name);
  return number;
}

/** Carries over the choices that the newer template accepts; conflicts must be resolved in `choices`. */
async function carriedOver(
  tx: Tx,
  work: Work,
  row: CurrentRow,
  { from, to }: Passage,
  choices: Choices,
): Promise<CurrentRow> {
  const { inputs: input = {}, profile, variant } = choices;
  const inputs = JSON.parse(row.inputs) as Record<string, never>;
  const held = JSON.parse(row.secret_inputs) as string[];
  const chosen = { profile: row.profile, variant: row.variant ?? undefined, inputs, held };
  const { conflicts, newInputs } = await compareTemplates(tx, work, from, to, chosen);
  const decided: Record<string, boolean> = { profile: profile !== undefined, variant: variant !== undefined };
  const isOpen = (field: string) => !(decided[field] ?? Object.hasOwn(input, field.replace(/^inputs\./, '')));
  const problems = [
    ...conflicts.filter(({ field }) => field === 'version' || isOpen(field)),
    ...newInputs
      .filter(({ name, required }) => required && !Object.hasOwn(input, name))
      .map(({ name }) => ({
        field: `inputs.${name}`,
        reason: 'required',
        message: 'is required by the newer version',
      })),
  ];
  const [first] = problems;
  if (first)
    throw new Problem('VALIDATION_ERROR', `${first.field}: ${first.message}.`, {
      reason: first.reason,
      field: first.field,
      problems,
    });
  const undone = new Set(conflicts.map(({ field }) => field.replace(/^inputs\./, '')));
  return {
    ...row,
    inputs: JSON.stringify(Object.fromEntries(Object.entries(inputs).filter(([name]) => !undone.has(name)))),
    secret_inputs: JSON.stringify(held.filter((name) => !undone.has(name))),
  };
}

/** Drops nulls for values the newer template no longer has: they are removed already. */
function withoutDropped(row: CurrentRow, { to }: Passage, { inputs = {}, ...rest }: Choices) {
  const asked = new Set([
    ...[...to.spec.inputs.required, ...to.spec.inputs.optional].map(({ name }) => name),
    ...Object.keys(to.spec.secrets),
  ]);
  const chosen = new Set([...Object.keys(JSON.parse(row.inputs)), ...(JSON.parse(row.secret_inputs) as string[])]);
  const kept = Object.entries(inputs).filter(([name, value]) => value !== null || asked.has(name) || !chosen.has(name));
  return { ...rest, inputs: Object.fromEntries(kept) };
}

/** Makes a staged revision current, unless another revision became current since. */
export async function makeCurrent(
  tx: Tx,
  principal: Principal,
  definitionId: string,
  change: { readonly from: number; readonly to: number },
): Promise<boolean> {
  const row = await lockDefinition(tx, principal.accountId, definitionId);
  const revision = await findRevision(tx, definitionId, change.to);
  if (!row || !revision || row.status === 'archived' || row.current_revision !== change.from) return false;
  const set = { current_revision: change.to, template_id: revision.template_id };
  await transition(tx, definitionLifecycle, row, 'revise', { actor: actorOf(principal), set });
  return true;
}
