import type { RecipeDetail } from '@hortus/contract/resources/recipes';
import { actorOf, type Principal } from '../../identity/principal.ts';
import { conflict, notFound, Problem } from '../../problem.ts';
import { transition } from '../../state/transition.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import { publish } from '../templates/publish.ts';
import { audit } from './audit.ts';
import { type Examination, examine } from './examination.ts';
import { recipeLifecycle } from './lifecycle.ts';
import { recipeDetail } from './record.ts';
import { requireOwnSpecies, verdict } from './service.ts';
import { findRecipe, lockRecipe, type RecipeRow } from './store.ts';

export interface ReviewDeps {
  readonly reader: Queries;
  /** Has the catalog of this process hold what was just published, so that who approved it finds it at once. */
  readonly reloadCatalog: () => Promise<void>;
}

/** What admins do with the recipes of all accounts. */
export class RecipeReview {
  readonly #deps: ReviewDeps;
  constructor(deps: ReviewDeps) {
    this.#deps = deps;
  }

  /** Validates before the transaction begins, as it takes time. */
  async examine(id: string): Promise<Examination> {
    const row = await findRecipe(this.#deps.reader, id);
    if (!row) throw notFound('recipe');
    return examine(row);
  }

  /** The recipe is approved and its template published, or neither. */
  async approve(tx: Tx, principal: Principal, id: string, examined: Examination): Promise<RecipeDetail> {
    const row = await lock(tx, id);
    // Somebody may have edited it in the meantime.
    const examination = examined.spec === row.spec ? examined : examine(row);
    const { canonical: spec } = examination;
    if (row.status === 'pending' && spec === undefined) throw refused(examination);
    const judged = { ...row, ...verdict(examination) };
    const template_id = spec && row.status === 'pending' ? await this.#publish(tx, row, spec) : row.template_id;
    const approved = await transition(tx, recipeLifecycle, judged, 'approve', {
      actor: actorOf(principal),
      set: { ...verdict(examination), template_id, reviewed_at: tx.now },
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

/** All findings with their places; the message names the first error. */
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
