import type { RecipeDetail } from '@hortus/contract/resources/recipes';
import { actorOf, type Principal } from '../../identity/principal.ts';
import { Behind, conflict, notFound, Problem } from '../../problem.ts';
import { transition } from '../../state/transition.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { Work } from '../../workers/job.ts';
import { publish } from '../templates/public.ts';
import { audit } from './audit.ts';
import type { Examination } from './examination.ts';
import { EXAMINE } from './examination.ts';
import { recipeLifecycle } from './lifecycle.ts';
import { recipeDetail } from './record.ts';
import { requireOwnSpecies, verdict } from './service.ts';
import { findRecipe, lockRecipe, type RecipeRow } from './store.ts';

export interface ReviewDeps {
  readonly reader: Queries;
  readonly work: Work;
  /** Reloads the catalog of this process, so that the approving admin finds the template immediately. */
  readonly reloadCatalog: () => Promise<void>;
}

/** Reviews the recipes of all accounts; for admins. */
export class RecipeReview {
  readonly #deps: ReviewDeps;
  constructor(deps: ReviewDeps) {
    this.#deps = deps;
  }

  /** Validates before the transaction begins, because it is slow. */
  async examine({ accountId }: Principal, id: string): Promise<Examination> {
    const { reader, work } = this.#deps;
    const row = await findRecipe(reader, id);
    if (!row) throw notFound('recipe');
    const { slug, spec, spec_form } = row;
    return work.run(EXAMINE, { account: accountId, field: 'spec' }, { slug, spec, spec_form });
  }

  /** Approves the recipe and publishes its template in one transaction. */
  async approve(tx: Tx, principal: Principal, id: string, examined: Examination): Promise<RecipeDetail> {
    const row = await lock(tx, id);
    // If its author has edited it meanwhile, the request runs again.
    if (examined.spec !== row.spec) throw new Behind(`Recipe ${id} was edited while it was examined.`, async () => {});
    const { canonical: spec } = examined;
    if (row.status === 'pending' && spec === undefined) throw refused(examined);
    const judged = { ...row, ...verdict(examined) };
    const template_id = spec && row.status === 'pending' ? await this.#publish(tx, row, spec) : row.template_id;
    const approved = await transition(tx, recipeLifecycle, judged, 'approve', {
      actor: actorOf(principal),
      set: { ...verdict(examined), template_id, reviewed_at: tx.now },
    });
    await audit(tx, principal, 'audit.recipe_approved', approved);
    return recipeDetail(tx, principal, approved);
  }

  async reject(tx: Tx, principal: Principal, id: string, reason: string | null): Promise<RecipeDetail> {
    const rejected = await transition(tx, recipeLifecycle, await lock(tx, id), 'reject', {
      actor: actorOf(principal),
      set: { reason, reviewed_at: tx.now },
    });
    await audit(tx, principal, 'audit.recipe_rejected', rejected);
    return recipeDetail(tx, principal, rejected);
  }

  settle(): Promise<void> {
    return this.#deps.reloadCatalog();
  }

  async #publish(tx: Tx, row: RecipeRow, spec: NonNullable<Examination['canonical']>): Promise<string> {
    await requireOwnSpecies(tx, row.slug, row.account_id);
    const author = { accountId: row.account_id, name: row.author };
    const taken = () =>
      conflict('spec', 'version_taken', `version ${spec.version} of ${spec.slug} is published already; raise it.`);
    const { id } = await publish(tx, spec, author, taken);
    return id;
  }
}

async function lock(tx: Tx, id: string): Promise<RecipeRow> {
  const row = await lockRecipe(tx, id);
  if (!row) throw notFound('recipe');
  return row;
}

/** Reports all findings with their positions; the message names the first error. */
function refused({ findings }: Examination): Problem {
  const first = findings.find(({ severity }) => severity === 'error');
  const field = first?.path ? `spec.${first.path}` : 'spec';
  const place = first ? ` (line ${first.line}, column ${first.column})` : '';
  return new Problem('VALIDATION_ERROR', `${field}: ${first?.message ?? 'is not a template'}${place}`, {
    reason: 'invalid',
    field,
    findings,
  });
}
