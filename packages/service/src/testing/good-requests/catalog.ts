import { SEED } from '@hortus/template/testing/inkwell';
import type { Caller } from '../running-service.ts';
import { fresh, type GoodRequests } from './good.ts';
import { registration } from './servers.ts';

const savedConfig = () => ({
  name: fresh('House style'),
  species: 'inkwell',
  profile: 'production',
  variant: 'alpine',
  inputs: { SITE_TITLE: 'Notes', SMTP_PASSWORD: 'hunter2hunter2' },
});

const ofConfig = async ({ client }: Caller) => ({
  params: { id: (await client.call('saved-configs.create', { body: savedConfig() })).data.id },
});

const submission = () => {
  const slug = fresh('recipe');
  const spec = SEED.replace('slug: seed', `slug: ${slug}`);
  return { slug, name: 'A recipe', description: 'Grows anywhere', spec };
};

const aRecipe = async ({ client }: Caller) => (await client.call('recipes.submit', { body: submission() })).data;

const ofRecipe = async (caller: Caller) => ({ params: { id: (await aRecipe(caller)).id } });

export const draftText = () => `slug: ${fresh('draft')}
name: Draft
version: 1.0.0
archetype: application
taxonomy: {kingdom: applications, family: website}
image: {repository: docker.io/library/nginx, tag: 1.29.2}
# A spoilt last word is still a template.`;

const ofDraft = async ({ client }: Caller) => ({
  params: { id: (await client.call('drafts.create', { body: { source: draftText() } })).data.id },
});

/** With a test server, templates must be tested before they are published. */
export const withoutTestServers = async ({ client }: Caller) => {
  for (const { id, deploy_tests } of (await client.call('servers.list', { query: { per_page: 100 } })).data)
    if (deploy_tests) await client.call('servers.update', { params: { id }, body: { deploy_tests: false } });
};

export const catalogRequests = {
  'health.read': () => ({}),
  'drafts.list': async (caller) => {
    await ofDraft(caller);
    return {};
  },
  'drafts.read': ofDraft,
  'drafts.check': () => ({ body: { source: draftText() } }),
  'drafts.create': () => ({ body: { source: draftText() } }),
  'drafts.import': () => ({
    body: { compose: 'services: {web: {image: "nginx:1.29.2", ports: ["8080:80"]}}', name: 'Web', slug: fresh('web') },
  }),
  'drafts.test': async (caller) => {
    await caller.client.call('servers.register', { body: { ...registration(), deploy_tests: true } });
    return { ...(await ofDraft(caller)), body: { inputs: {}, profile: 'minimal' } };
  },
  'drafts.promote': async (caller) => {
    await withoutTestServers(caller);
    const request = await ofDraft(caller);
    await caller.client.call('drafts.validate', request);
    return request;
  },
  'drafts.deprecate': async (caller) => {
    await withoutTestServers(caller);
    const request = await ofDraft(caller);
    await caller.client.call('drafts.validate', request);
    await caller.client.call('drafts.promote', request);
    return request;
  },
  'templates.list': () => ({ query: { kingdom: 'applications', versions: 'all' } }),
  'templates.featured': () => ({}),
  'templates.upcoming': () => ({}),
  'templates.read': () => ({ params: { species: 'inkwell' } }),
  'templates.versions': () => ({ params: { species: 'inkwell' } }),
  'templates.logo': () => ({ params: { species: 'inkwell' } }),
  'templates.mark': () => ({ params: { species: 'inkwell' }, query: { size: 24, theme: 'dark' } }),
  'match.find': () => ({ body: { needs: [{ class: 'http.blog' }, { class: 'database.postgres' }] } }),
  'catalog.list': () => ({ query: { family: 'blog' } }),
  'catalog.shelf': () => ({}),
  'catalog.categories': () => ({}),
  'taxonomy.tree': () => ({}),
  'taxonomy.kingdoms': () => ({}),
  'taxonomy.kingdom': () => ({ params: { kingdom_id: 'applications' } }),
  'taxonomy.family': () => ({ params: { family_id: 'blog' } }),
  'taxonomy.species': () => ({ params: { species_id: 'inkwell' } }),
  'recipes.list': async (caller) => {
    await aRecipe(caller);
    return { query: { sort: 'upvotes' } };
  },
  'recipes.bySlug': async (caller) => ({ params: { slug: (await aRecipe(caller)).slug } }),
  'recipes.mine': async (caller) => {
    await aRecipe(caller);
    return { query: { status: 'pending' } };
  },
  'recipes.pending': async (caller) => {
    await aRecipe(caller);
    return {};
  },
  'recipes.read': ofRecipe,
  'recipes.submit': () => ({ body: submission() }),
  'recipes.edit': async (caller) => ({
    ...(await ofRecipe(caller)),
    body: { name: 'Another name', description: '', spec: { slug: 'another' } },
  }),
  'recipes.upvote': async (caller) => {
    const approved = await ofRecipe(caller);
    await caller.client.call('recipes.approve', approved);
    return approved;
  },
  'recipes.reject': async (caller) => ({ ...(await ofRecipe(caller)), body: { reason: 'It does not grow.' } }),
  'saved-configs.list': async (caller) => {
    await ofConfig(caller);
    return { query: { species: 'inkwell' } };
  },
  'saved-configs.create': () => ({ body: savedConfig() }),
  'saved-configs.read': ofConfig,
  'saved-configs.update': async (caller) => ({
    ...(await ofConfig(caller)),
    body: { name: 'Another style', profile: null, variant: null, inputs: { SITE_TITLE: null } },
  }),
  'playbooks.list': () => ({}),
  'playbooks.read': () => ({ params: { playbook_type: 'deploy' } }),
  'copilot.ask': () => ({ body: { question: 'Which template is a blog?' } }),
  'copilot.usage': () => ({}),
  'implant.read': () => ({ params: { os_type: 'linux', arch: 'amd64' } }),
  'implant.download': () => ({ params: { os_type: 'linux', arch: 'amd64' } }),
} satisfies Partial<GoodRequests>;
