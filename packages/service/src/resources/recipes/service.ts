import type { Recipe, RecipeDetail, RecipeEdit, RecipeSubmission } from '@hortus/contract/resources/recipes';
import { actorOf, type Principal } from '../../identity/principal.ts';
import { conflict, notFound } from '../../problem.ts';
import { newId } from '../../records/ids.ts';
import { begin, transition } from '../../state/transition.ts';
import type { Page, PageRequest, Pages } from '../../storage/page.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { Work } from '../../workers/job.ts';
import { nameOfAccount } from '../sign-in/public.ts';
import { deprecate, mayPublish } from '../templates/public.ts';
import { audit } from './audit.ts';
import { EXAMINE, type Examination, type Written, writtenSpec } from './examination.ts';
import { recipeLifecycle } from './lifecycle.ts';
import { isAdmin, isVisible, recipeDetail, recipeRecords, voterOf } from './record.ts';
import {
  addUpvote,
  deleteRecipe,
  findBySlug,
  findRecipe,
  lockRecipe,
  type RecipeFilter,
  type RecipeOrder,
  type RecipeRow,
  recipeList,
} from './store.ts';

export interface RecipesDeps {
  readonly reader: Queries;
  readonly pages: Pages;
  readonly work: Work;
}

/** A stored spec with its findings. */
export type Draft = Written & ReturnType<typeof verdict>;

/** Serves authors and readers; reviews are in `review.ts`. */
export class Recipes {
  readonly #deps: RecipesDeps;
  constructor(deps: RecipesDeps) {
    this.#deps = deps;
  }

  async list(
    principal: Principal,
    filter: RecipeFilter,
    order: RecipeOrder,
    request: PageRequest,
  ): Promise<Page<Recipe>> {
    const { reader, pages } = this.#deps;
    const page = await pages.read(request, recipeList(reader, { ...filter, order }));
    return { ...page, data: await recipeRecords(reader, principal, page.data) };
  }

  async read(principal: Principal, id: string): Promise<RecipeDetail> {
    const { reader } = this.#deps;
    return recipeDetail(reader, principal, visible(principal, await findRecipe(reader, id)));
  }

  async readBySlug(principal: Principal, slug: string): Promise<RecipeDetail> {
    const { reader } = this.#deps;
    return recipeDetail(reader, principal, visible(principal, await findBySlug(reader, slug, principal.accountId)));
  }

  /** Validates a spec before a transaction begins, because it is slow. */
  async draft({ accountId }: Principal, slug: string, spec: RecipeDetail['spec']): Promise<Draft> {
    const written = writtenSpec(slug, spec);
    const examined = await this.#deps.work.run(EXAMINE, { account: accountId, field: 'spec' }, written);
    return { ...written, ...verdict(examined) };
  }

  /** Validates a new spec of an existing recipe. Its slug never changes. */
  async redraft(principal: Principal, id: string, spec: RecipeDetail['spec'] | undefined): Promise<Draft | undefined> {
    const row = visible(principal, await findRecipe(this.#deps.reader, id));
    return spec === undefined ? undefined : this.draft(principal, row.slug, spec);
  }

  async submit(tx: Tx, principal: Principal, body: RecipeSubmission, draft: Draft): Promise<RecipeDetail> {
    const { accountId } = principal;
    await requireOwnSpecies(tx, body.slug, accountId);
    const row = {
      id: newId('recipe'),
      account_id: accountId,
      name: body.name,
      description: body.description,
      author: await nameOfAccount(tx, accountId),
      ...draft,
      upvotes: 0,
      reason: null,
      template_id: null,
      reviewed_at: null,
      created_at: tx.now,
      updated_at: tx.now,
    };
    const taken = () => conflict('slug', 'taken', `a recipe for ${body.slug} is already waiting for review.`);
    const born = await begin(tx, recipeLifecycle, row, 'submit', actorOf(principal), taken);
    await audit(tx, principal, 'audit.recipe_submitted', born);
    return recipeDetail(tx, principal, born);
  }

  async edit(
    tx: Tx,
    principal: Principal,
    id: string,
    body: RecipeEdit,
    draft: Draft | undefined,
  ): Promise<RecipeDetail> {
    const row = await this.#lockOwn(tx, principal, id);
    const edited = await transition(tx, recipeLifecycle, row, 'edit', {
      actor: actorOf(principal),
      set: {
        name: body.name ?? row.name,
        description: body.description ?? row.description,
        ...draft,
      },
    });
    await audit(tx, principal, 'audit.recipe_edited', edited);
    return recipeDetail(tx, principal, edited);
  }

  async upvote(tx: Tx, principal: Principal, id: string): Promise<RecipeDetail> {
    const row = visible(principal, await lockRecipe(tx, id));
    if (row.status !== 'approved')
      throw conflict('status', 'state', `a recipe that is ${row.status} cannot be upvoted.`, { status: row.status });
    return recipeDetail(tx, principal, await addUpvote(tx, row, voterOf(principal)));
  }

  async withdraw(tx: Tx, principal: Principal, id: string): Promise<RecipeDetail> {
    const row = await this.#lockOwn(tx, principal, id);
    if (row.status === 'withdrawn') return recipeDetail(tx, principal, row);
    const withdrawn = await transition(tx, recipeLifecycle, row, 'withdraw', { actor: actorOf(principal) });
    if (row.template_id !== null) await deprecate(tx, row.template_id);
    await audit(tx, principal, 'audit.recipe_withdrawn', withdrawn);
    return recipeDetail(tx, principal, withdrawn);
  }

  async remove(tx: Tx, principal: Principal, id: string): Promise<RecipeDetail> {
    const row = await this.#lockOwn(tx, principal, id, { adminsToo: true });
    const detail = await recipeDetail(tx, principal, row);
    await deleteRecipe(tx, id);
    if (row.template_id !== null) await deprecate(tx, row.template_id);
    await audit(tx, principal, 'audit.recipe_deleted', row);
    return detail;
  }

  /** Hides recipes of other accounts. */
  async #lockOwn(tx: Tx, principal: Principal, id: string, { adminsToo = false } = {}): Promise<RecipeRow> {
    const row = visible(principal, await lockRecipe(tx, id));
    if (row.account_id !== principal.accountId && !(adminsToo && isAdmin(principal))) throw notFound('recipe');
    return row;
  }
}

function visible(principal: Principal, row: RecipeRow | undefined): RecipeRow {
  if (!row || !isVisible(principal, row)) throw notFound('recipe');
  return row;
}

/** Stored result of an examination. */
export const verdict = ({ findings, canonical }: Examination) => ({
  findings: JSON.stringify(findings),
  valid: canonical ? (1 as const) : (0 as const),
});

export async function requireOwnSpecies(tx: Tx, slug: string, accountId: string): Promise<void> {
  if (!(await mayPublish(tx, slug, accountId)))
    throw conflict(
      'slug',
      'taken',
      `the species ${slug} belongs to another author in the catalog; choose another slug.`,
    );
}
