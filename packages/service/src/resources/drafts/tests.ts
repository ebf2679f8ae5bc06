import { randomBytes } from 'node:crypto';
import type { TemplateTest, TemplateTestOrder } from '@hortus/contract/resources/drafts';
import type { Canonical } from '@hortus/template/canonical/canonical-form';
import { splitSecretInputs } from '@hortus/template/inputs/inputs';
import { generateSecrets } from '@hortus/template/secrets/secrets';
import { actorOf, type Principal } from '../../identity/principal.ts';
import { conflict, invalid, notFound } from '../../problem.ts';
import { newId } from '../../records/ids.ts';
import { begin } from '../../state/transition.ts';
import type { Page, PageRequest, Pages } from '../../storage/page.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { Work } from '../../workers/job.ts';
import type { Order } from '../definitions/public.ts';
import { type Catalog, checkProfile, checkVariant } from '../templates/public.ts';
import { findTemplate, findUnderWay, hasPassed, lockTemplate, type TemplateRow, testList } from './store.ts';
import { TEST_INPUTS } from './test-inputs.ts';
import { recordTest, testLifecycle, testRecord, wakeTest } from './test-lifecycle.ts';
import { FIND_PROBLEMS, isClean } from './written.ts';

export interface TestsDeps {
  readonly reader: Queries;
  readonly pages: Pages;
  readonly catalog: Catalog;
  readonly work: Work;
  /** Lists servers that accept deploy tests, best first. */
  readonly serversForTests: (
    queries: Queries,
    accountId: string,
  ) => Promise<readonly { readonly id: string; readonly name: string; readonly trusted: boolean }[]>;
  /** Creates the definition and orders its deployment. */
  readonly deploy: (
    tx: Tx,
    principal: Principal,
    order: Order,
  ) => Promise<{ readonly definitionId: string; readonly deploymentId: string }>;
}

/** Includes pulling large images; a test on a server that stays offline for longer fails. */
const MAX_MS = 30 * 60_000;

/** An order, validated as far as possible before a transaction begins. */
export interface PreparedTest {
  readonly templateId: string;
  readonly specHash: string;
  readonly testId: string;
  readonly order: Omit<Order, 'serverId'>;
  readonly serverId: string | undefined;
}

/** Runs deploy tests: deploys the template, runs its smoke test, and removes everything. */
export class TemplateTests {
  readonly #deps: TestsDeps;
  constructor(deps: TestsDeps) {
    this.#deps = deps;
  }

  async prepare({ accountId }: Principal, id: string, body: TemplateTestOrder): Promise<PreparedTest> {
    const { reader, catalog, work } = this.#deps;
    const row = await findTemplate(reader, accountId, id);
    if (!row) throw notFound('template');
    const owner = { account: accountId, field: 'id' };
    const { source, spec } = row;
    if (!isClean(await work.run(FIND_PROBLEMS, owner, { source, spec })))
      throw conflict('id', 'invalid_template', 'the template has errors; validate it to see them.');
    // Another process may have changed the template a moment ago; test only what this process has loaded.
    if (catalog.byId(id)?.item.spec_hash !== row.spec_hash) await catalog.load();
    const template = catalog.byId(id);
    if (template?.item.spec_hash !== row.spec_hash) throw changed();
    const uid = `test-${randomBytes(6).toString('hex')}`;
    const asked = { account: accountId, field: 'inputs' };
    const inputs = await work.run(TEST_INPUTS, asked, template.spec, uid, body.inputs ?? {});
    const { plain, secret } = splitSecretInputs(template.spec, inputs);
    return {
      templateId: id,
      specHash: row.spec_hash,
      testId: newId('templateTest'),
      serverId: body.server_id,
      order: {
        template,
        name: `Deploy test of ${row.species} ${row.version}`,
        instanceUid: uid,
        tenantId: null,
        profile: checkProfile(template, body.profile ?? 'development'),
        variant: checkVariant(template, body.variant ?? null),
        // There is no earlier revision to roll back to.
        watchSeconds: 0,
        heal: false,
        backup: undefined,
        plain,
        secret,
        generated: await generateSecrets(template.spec),
      },
    };
  }

  async begin(tx: Tx, principal: Principal, prepared: PreparedTest): Promise<TemplateTest> {
    const { accountId } = principal;
    const { templateId, specHash, testId } = prepared;
    const actor = actorOf(principal);
    const row = await lockTemplate(tx, accountId, templateId);
    if (!row) throw notFound('template');
    if (row.spec_hash !== specHash) throw changed();
    await requireRest(tx, templateId);
    const serverId = await this.#serverFor(tx, accountId, prepared.serverId);
    const deployed = await this.#deps.deploy(tx, principal, { ...prepared.order, serverId, testId });
    const test = await begin(
      tx,
      testLifecycle,
      {
        id: testId,
        account_id: accountId,
        template_id: templateId,
        spec_hash: specHash,
        server_id: serverId,
        definition_id: deployed.definitionId,
        deployment_id: deployed.deploymentId,
        smoke_id: null,
        release_id: null,
        reason: null,
        error: null,
        output: null,
        deadline_at: tx.now + MAX_MS,
        cleared_at: null,
        created_by: actor,
        created_at: tx.now,
        updated_at: tx.now,
        finished_at: null,
      },
      'begin',
      actor,
    );
    await recordTest(tx, test, actor);
    await wakeTest(tx, testId);
    return testRecord(test);
  }

  async list({ accountId }: Principal, id: string, request: PageRequest): Promise<Page<TemplateTest>> {
    const { reader, pages } = this.#deps;
    if (!(await findTemplate(reader, accountId, id))) throw notFound('template');
    return await pages.read(request, testList(reader, { templateId: id }), testRecord);
  }

  /** Requires a passed deploy test if the account has a server for tests. */
  async requirePassed(tx: Tx, { id, owner, spec_hash, species, version }: TemplateRow): Promise<void> {
    const [server] = await this.#deps.serversForTests(tx, owner);
    if (!server || (await hasPassed(tx, id, spec_hash))) return;
    throw conflict(
      'deploy_test',
      'untested',
      `${species} ${version} in its current form has not passed a deploy test on ${server.name}; POST /templates/${id}/test first.`,
      { spec_hash, server_id: server.id },
    );
  }

  async #serverFor(tx: Tx, accountId: string, wanted: string | undefined): Promise<string> {
    const servers = await this.#deps.serversForTests(tx, accountId);
    // A key with servers:write alone could otherwise receive the secrets of every test.
    const server = servers.find(({ id, trusted }) => (wanted === undefined ? trusted : id === wanted));
    if (server) return server.id;
    if (wanted === undefined && servers.length > 0)
      throw invalid('server_id', 'no server for deploy tests is trusted; give its id, or rotate its key to trust it.', {
        reason: 'untrusted_server',
      });
    throw invalid('server_id', 'no server accepts deploy tests; set deploy_tests on one with PUT /servers/{id}.', {
      reason: 'no_test_server',
    });
  }
}

/** Prevents changes to a template during its test, so that the result applies to the current content. */
export async function requireRest(tx: Tx, templateId: string): Promise<void> {
  const test = await findUnderWay(tx, templateId);
  if (test)
    throw conflict('id', 'testing', `its deploy test ${test.id} is running; wait for it to finish.`, {
      test_id: test.id,
    });
}

const changed = () => conflict('id', 'changed', 'the template changed meanwhile; try again.');

/** Lists the named volumes of a template. */
export const volumesOf = (spec: Canonical): string[] => [
  ...new Set(Object.values(spec.components).flatMap(({ storage }) => storage.map(({ name }) => name))),
];
