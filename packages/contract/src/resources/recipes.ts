import Type, { type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { envelope, list, paging, Timestamp } from '../envelope.ts';
import { recipeMachine } from '../machines/recipe.ts';
import { choice, id, idParam, nullable, text } from '../records/fields.ts';

const RecipeFinding = Type.Object(
  {
    severity: choice(['error', 'warning']),
    code: Type.String({ examples: ['unknown-key'] }),
    path: Type.String({ description: 'Path in the spec.', examples: ['components.app.image'] }),
    line: Type.Integer({
      description: 'Line in the given text; for an object, in its JSON with an indent of two spaces.',
    }),
    column: Type.Integer(),
    message: Type.String(),
    suggestion: Type.Optional(Type.String()),
  },
  { title: 'RecipeFinding' },
);

export const Recipe = Type.Object(
  {
    id: id('recipe'),
    slug: Type.String({ description: 'The species of the future template.' }),
    name: Type.String(),
    description: Type.String(),
    author: Type.String({ description: 'Name of the account that submitted it.' }),
    mine: Type.Boolean({ description: 'Whether the account of the caller submitted it.' }),
    status: choice(recipeMachine.states),
    upvotes: Type.Integer(),
    upvoted: Type.Boolean({ description: 'Whether the caller has upvoted it.' }),
    valid: Type.Boolean({ description: 'Whether the spec has no errors and can be approved.' }),
    reason: nullable(Type.String(), { description: 'Why it was rejected.' }),
    template_id: nullable(id('template'), { description: 'The published template, once it is approved.' }),
    reviewed_at: nullable(Timestamp),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Recipe' },
);
export type Recipe = Static<typeof Recipe>;

export const RecipeDetail = Type.Object(
  {
    ...Recipe.properties,
    spec: Type.Union([Type.String(), Type.Record(Type.String(), Type.Unknown())], { description: 'As submitted.' }),
    findings: Type.Array(RecipeFinding, { description: 'Findings of the validator.' }),
  },
  { title: 'RecipeDetail' },
);
export type RecipeDetail = Static<typeof RecipeDetail>;

/** Maximum length of a spec. Far longer than any template; bounds the time of the validator. */
export const SPEC_LIMIT = 65_536;

const written = {
  name: text(120, { description: 'Display name.' }),
  description: Type.String({ maxLength: 4000, description: 'Purpose of the template.' }),
  spec: Type.Union(
    [
      Type.String({ minLength: 1, maxLength: SPEC_LIMIT }),
      Type.Record(Type.String({ pattern: '^[A-Za-z$_][A-Za-z0-9_.$-]{0,63}$' }), Type.Unknown(), {
        additionalProperties: false,
        maxProperties: 100,
      }),
    ],
    { description: 'A template, as YAML text or as an object.' },
  ),
};

const example = {
  slug: 'inkwell',
  name: 'Inkwell',
  description: 'A blog for one.',
  spec: 'slug: inkwell\nname: Inkwell\nversion: 1.0.0\n',
};

export const RecipeSubmission = Type.Object(
  {
    slug: Type.String({
      minLength: 1,
      maxLength: 64,
      pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$',
      description: 'The species; the same as in the spec.',
    }),
    ...written,
  },
  { title: 'RecipeSubmission', additionalProperties: false, examples: [example] },
);
export type RecipeSubmission = Static<typeof RecipeSubmission>;

export const RecipeEdit = Type.Object(
  {
    name: Type.Optional(written.name),
    description: Type.Optional(written.description),
    spec: Type.Optional(written.spec),
  },
  { title: 'RecipeEdit', additionalProperties: false, examples: [{ description: 'A blog for one or two.' }] },
);
export type RecipeEdit = Static<typeof RecipeEdit>;

const RecipeRejection = Type.Object(
  { reason: Type.Optional(nullable(text(2000, { description: 'Reason shown to the author.' }))) },
  { title: 'RecipeRejection', additionalProperties: false, examples: [{ reason: 'The image cannot be pulled.' }] },
);

const params = Type.Object({ id: idParam('Id of a recipe.') });
const detail = { tag: 'recipes', response: envelope(RecipeDetail) } as const;
const own = { ...detail, permission: 'recipes:write', params } as const;
const review = { ...detail, method: 'POST', permission: 'admin', params } as const;

export const recipeEndpoints = {
  'recipes.list': endpoint({
    method: 'GET',
    path: '/recipes',
    tag: 'recipes',
    summary: 'List the approved recipes of all accounts',
    permission: 'recipes:read',
    query: Type.Object({
      sort: Type.Optional(
        choice(['newest', 'upvotes'], {
          default: 'newest',
          description: 'Sort by age or by upvotes.',
        }),
      ),
      ...paging,
    }),
    response: list(Recipe),
  }),
  'recipes.bySlug': endpoint({
    ...detail,
    method: 'GET',
    path: '/recipes/by-slug/{slug}',
    summary: 'Read a recipe by its slug',
    description: 'The newest approved recipe; if there is none, the newest of the account of the caller.',
    permission: 'recipes:read',
    params: Type.Object({ slug: idParam('Slug of a recipe.') }),
  }),
  'recipes.mine': endpoint({
    method: 'GET',
    path: '/recipes/mine',
    tag: 'recipes',
    summary: 'List the recipes of the account of the caller',
    permission: 'recipes:read',
    query: Type.Object({
      status: Type.Optional(choice(recipeMachine.states, { description: 'Only those in this state.' })),
      ...paging,
    }),
    response: list(Recipe),
  }),
  'recipes.pending': endpoint({
    method: 'GET',
    path: '/recipes/pending',
    tag: 'recipes',
    summary: 'List the recipes pending review, oldest first',
    permission: 'admin',
    query: Type.Object({ ...paging }),
    response: list(Recipe),
  }),
  'recipes.read': endpoint({
    ...detail,
    method: 'GET',
    path: '/recipes/{id}',
    summary: 'Read a recipe with its spec',
    description: 'An approved recipe, or one of the account of the caller; admins can read all.',
    permission: 'recipes:read',
    params,
  }),
  'recipes.submit': endpoint({
    ...detail,
    method: 'POST',
    path: '/recipes',
    summary: 'Submit a recipe for review',
    description:
      'The answer contains the findings of the validator. A recipe can be edited until it is reviewed. A slug belongs to the account that published it first.',
    permission: 'recipes:write',
    idempotent: true,
    status: 201,
    body: RecipeSubmission,
  }),
  'recipes.edit': endpoint({
    record: { read: 'recipes.read', observed: ['upvotes', 'upvoted'] },
    ...own,
    method: 'PATCH',
    path: '/recipes/{id}',
    summary: 'Edit a recipe that is pending review',
    body: RecipeEdit,
  }),
  'recipes.upvote': endpoint({
    ...own,
    method: 'POST',
    path: '/recipes/{id}/upvote',
    summary: 'Upvote an approved recipe',
    description: 'Counts once per user. Idempotent.',
  }),
  'recipes.withdraw': endpoint({
    ...own,
    method: 'PATCH',
    path: '/recipes/{id}/withdraw',
    summary: 'Withdraw a recipe',
    description: 'Its published template stays usable and is marked as deprecated.',
  }),
  'recipes.delete': endpoint({
    ...own,
    method: 'DELETE',
    path: '/recipes/{id}',
    // An admin of the account sees recipes of other accounts, its colleagues do not.
    personal: true,
    summary: 'Delete a recipe and its upvotes',
    description: 'Admins can delete every recipe. Its published template stays and is marked as deprecated.',
  }),
  'recipes.approve': endpoint({
    ...review,
    path: '/recipes/{id}/approve',
    summary: 'Approve a recipe',
    description:
      'Validates the spec and publishes it as a template of the catalog with its author. Errors of the spec are a 422 with their places in details.',
  }),
  'recipes.reject': endpoint({
    ...review,
    path: '/recipes/{id}/reject',
    summary: 'Reject a recipe',
    body: RecipeRejection,
  }),
};
