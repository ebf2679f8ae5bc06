import type { Manifest } from '@hortus/contract/template/manifest';
import { withProfile } from '@hortus/template/canonical/canonical';
import type { Canonical } from '@hortus/template/canonical/canonical-form';
import { canonicalJson } from '@hortus/template/canonical/canonical-json';
import type { Inputs } from '@hortus/template/inputs/inputs';
import { milliseconds } from '@hortus/template/notation/quantity';
import { accessOf, isolated } from '@hortus/template/resolution/isolated';
import { type ResolvedProvision, resolveProvisions } from '@hortus/template/resolution/provisions';
import type { ResolveOptions } from '@hortus/template/resolution/resolve';
import type { IngressPorts } from '@hortus/template/resolution/route-address';
import type { Resolved } from '@hortus/template/rollout/predict';
import { conflict, invalid } from '../../problem.ts';
import { doOutside } from '../../storage/outside.ts';
import type { Queries } from '../../storage/storage.ts';
import type { Vault } from '../../vault/vault.ts';
import type { Work } from '../../workers/job.ts';
import { openConnection } from '../connections/public.ts';
import {
  bindingsOf,
  type DefinitionRow,
  findDefinition,
  newestRevisionAt,
  type Order,
  overridesOf,
  type RevisionRow,
  revisionOf,
  secretValues,
} from '../definitions/public.ts';
import type { Catalog } from '../templates/public.ts';
import { type BoundNeeds, type BoundNeedsDeps, boundNeeds, type Dependent, UnmetNeed } from './bound-needs.ts';
import { type Filling, fillTemplate, PROVISIONS, RESOLVE } from './worker-jobs.ts';

export interface ResolverDeps {
  readonly catalog: Pick<Catalog, 'known'>;
  readonly vault: Pick<Vault, 'decrypt'>;
  readonly work: Work;
  /** Returns the ports of the ingress of a server; undefined for 80 and 443. */
  readonly ingressPorts: (queries: Queries, serverId: string) => Promise<IngressPorts | undefined>;
  /** Returns the revision of the running instance of a definition; null without one. */
  readonly runningRevision: (queries: Queries, definitionId: string) => Promise<number | null>;
  readonly canLink: BoundNeedsDeps['canLink'];
}

export interface ResolvedManifest {
  /** Includes secret values. */
  readonly manifest: Manifest;
  /** JSON pointers to the secret values. */
  readonly secretPaths: string[];
  /** Those secrets of the definition, and of what it is bound to, that the manifest contains. */
  readonly hidden: string[];
}

/** Suffix that turns a known secret into a placeholder for its previous value. */
const STAND_IN = '-of-then';

/** Fills templates with the inputs, secrets and bound needs of definitions. */
export class ManifestResolver {
  readonly #deps: ResolverDeps;
  constructor(deps: ResolverDeps) {
    this.#deps = deps;
  }

  /** Secrets set after `secretsBefore` get a placeholder: their previous values are not stored. */
  async resolve(
    queries: Queries,
    accountId: string,
    definitionId: string,
    revision: number,
    secretsBefore = Number.POSITIVE_INFINITY,
  ): Promise<ResolvedManifest> {
    const definition = await findDefinition(queries, accountId, definitionId);
    if (!definition) throw new Error(`There is no definition ${definitionId} to resolve.`);
    return this.resolveRevision(queries, definition, await revisionOf(queries, definitionId, revision), secretsBefore);
  }

  /** Resolves a definition that does not exist yet. Throws if its inputs do not fit its template. */
  async resolveOrder(queries: Queries, accountId: string, order: Order): Promise<Resolved> {
    const { template, plain, secret, generated, profile, variant, instanceUid, name, serverId } = order;
    const { spec, item } = template;
    const dependent = { accountId, serverId, spec, profile, bindings: order.bindings ?? {} };
    const { needs, links } = await this.#bound(queries, dependent).catch((error: unknown) => {
      throw error instanceof UnmetNeed ? invalid(`bindings.${error.need}`, `${error.message}.`) : error;
    });
    const isExternal = (input: string) => Object.hasOwn(spec.secrets, input);
    const entered = Object.entries(secret);
    const options = {
      profile,
      ...(variant !== null && { variant }),
      inputs: { ...plain, ...Object.fromEntries(entered.filter(([input]) => !isExternal(input))) },
      secrets: { ...generated, ...Object.fromEntries(entered.filter(([input]) => isExternal(input))) },
      instance: { uid: instanceUid, name, server_id: serverId },
      ...{ needs, links },
      ...(order.overrides && { overrides: order.overrides }),
    };
    const about = { account: accountId, field: 'inputs' };
    const resolution = await this.#fill(queries, about, { spec, hash: item.spec_hash }, options);
    if (resolution.ok) return resolution;
    const [first] = resolution.problems;
    throw invalid(first?.field ?? 'inputs', first?.message ?? 'do not fit the template', {
      problems: resolution.problems,
    });
  }

  /** Longest time without progress for a deployment of this revision. */
  async deadlineMs(queries: Queries, definitionId: string, revision: number): Promise<number> {
    const { template_id, profile } = await revisionOf(queries, definitionId, revision);
    const spec = this.#spec(template_id);
    return milliseconds((withProfile(spec, profile) ?? spec).deadline) ?? 0;
  }

  async resolveRevision(
    queries: Queries,
    definition: DefinitionRow,
    revision: RevisionRow,
    secretsBefore = Number.POSITIVE_INFINITY,
  ): Promise<ResolvedManifest> {
    const { account_id, container_name, server_id } = definition;
    // A copy sees itself as its original, because its data may contain the names of that.
    const original = await this.#original(queries, definition);
    const of = { accountId: account_id, revision };
    const { inputs, sealedInputs, secrets, values } = await this.#values(queries, of, secretsBefore);
    const spec = this.#spec(revision.template_id);
    const dependent = {
      ...{ accountId: account_id, serverId: server_id, spec, profile: revision.profile },
      bindings: bindingsOf(revision),
    };
    const bound = await this.#bound(queries, dependent, secretsBefore).catch((error: unknown) => {
      if (!(error instanceof UnmetNeed)) throw error;
      throw unresolvable(revision, [{ field: `needs.${error.need}`, message: error.message }]);
    });
    values.push(...bound.secrets);
    const options = {
      profile: revision.profile,
      ...(revision.variant !== null && { variant: revision.variant }),
      ...{ inputs, sealedInputs, secrets },
      // Container and volume names derive from it, so it must be unique among all definitions, archived ones included.
      instance: { uid: original.container_name, name: original.name, server_id },
      ...{ needs: bound.needs, links: bound.links },
      overrides: overridesOf(revision),
    };
    const about = { account: account_id, field: 'definition_id' };
    const resolution = await this.#fill(queries, about, { spec, hash: revision.spec_hash }, options, values);
    if (resolution.ok) {
      const { manifest, secretPaths } = original === definition ? resolution : isolatedCopy(resolution, container_name);
      const watch_ms = definition.watch_seconds * 1_000;
      return { manifest: { ...manifest, watch_ms }, secretPaths, hidden: resolution.hidden };
    }
    throw unresolvable(revision, resolution.problems);
  }

  /** Inputs with their secret ones, secrets, and all secret values of a revision. */
  async #values(
    queries: Queries,
    { accountId, revision }: { readonly accountId: string; readonly revision: RevisionRow },
    secretsBefore: number,
  ) {
    const inputs = JSON.parse(revision.inputs) as Inputs;
    const asked = new Set(JSON.parse(revision.secret_inputs) as string[]);
    const sealedInputs: string[] = [];
    const secrets: Record<string, string> = {};
    const values: string[] = [];
    const owner = { accountId, definitionId: revision.definition_id };
    for (const secret of await secretValues(queries, this.#deps.vault, owner)) {
      const value = secret.updatedAt > secretsBefore ? `${secret.value}${STAND_IN}` : secret.value;
      values.push(value);
      if (secret.kind !== 'input') secrets[secret.name] = value;
      else if (asked.has(secret.name)) {
        inputs[secret.name] = value;
        sealedInputs.push(secret.name);
      }
    }
    return { inputs, sealedInputs, secrets, values };
  }

  async #bound(queries: Queries, dependent: Dependent, before = Number.POSITIVE_INFINITY): Promise<BoundNeeds> {
    if (Object.keys(dependent.bindings).length === 0) return { needs: {}, links: {}, secrets: [] };
    const ofProviders: string[] = [];
    const deps = {
      openConnection: (reader: Queries, accountId: string, id: string) =>
        openConnection(reader, this.#deps.vault, accountId, id),
      definition: findDefinition,
      provisions: async (...args: Parameters<BoundNeedsDeps['provisions']>) => {
        const { provisions, values } = await this.#provisions(...args);
        ofProviders.push(...values);
        return provisions;
      },
      canLink: this.#deps.canLink,
    };
    const bound = await boundNeeds(queries, deps, dependent, { before, standIn: STAND_IN });
    // An attribute such as an address contains a password that may also be printed alone.
    return { ...bound, secrets: [...bound.secrets, ...ofProviders] };
  }

  /** Uses the running revision, because that is the one that answers. */
  async #provisions(
    queries: Queries,
    provider: DefinitionRow,
    before: number,
  ): Promise<{ readonly provisions: ResolvedProvision[]; readonly values: string[] }> {
    const { id, account_id, container_name, name, server_id, current_revision } = provider;
    const running = (await this.#deps.runningRevision(queries, id)) ?? current_revision;
    const then = Number.isFinite(before) ? await newestRevisionAt(queries, id, before) : undefined;
    const revision = await revisionOf(queries, id, Math.min(running, then ?? running));
    const { values, ...filled } = await this.#values(queries, { accountId: account_id, revision }, before);
    const spec = this.#spec(revision.template_id);
    const ports = spec.routes.length > 0 ? await this.#deps.ingressPorts(queries, server_id) : undefined;
    const options = {
      ...{ profile: revision.profile, variant: revision.variant, ...filled },
      ...(ports && { ports }),
      instance: { uid: container_name, name, server_id },
    };
    if (!isCostly(spec, options)) return { provisions: resolveProvisions(spec, options).provisions, values };
    const about = { account: account_id, field: 'definition_id' };
    const key = () => canonicalJson(['provisions', revision.spec_hash, options]);
    const run = () => this.#deps.work.run(PROVISIONS, about, spec, options);
    return { provisions: (await doOutside(queries, key, run)).provisions, values };
  }

  async #original(queries: Queries, definition: DefinitionRow): Promise<DefinitionRow> {
    if (definition.copy_of === null) return definition;
    const original = await findDefinition(queries, definition.account_id, definition.copy_of);
    if (!original) throw new Error(`The definition ${definition.copy_of}, which ${definition.id} copies, is missing.`);
    return original;
  }

  /** Resolves a template, a costly one in a worker thread. */
  async #fill(
    queries: Queries,
    about: { readonly account: string; readonly field: string },
    { spec, hash }: { readonly spec: Canonical; readonly hash: string },
    options: ResolveOptions,
    secrets: readonly string[] = [],
  ): Promise<Filling> {
    const ports = spec.routes.length > 0 && (await this.#deps.ingressPorts(queries, options.instance.server_id));
    const placed = ports ? { ...options, ports } : options;
    if (!isCostly(spec, placed)) return fillTemplate(spec, placed, secrets);
    const key = () => canonicalJson(['manifest', hash, placed, secrets]);
    return doOutside(queries, key, () => this.#deps.work.run(RESOLVE, about, spec, placed, secrets));
  }

  #spec(templateId: string) {
    return this.#deps.catalog.known(templateId).spec;
  }
}

function unresolvable(revision: RevisionRow, problems: readonly { field: string; message: string }[]) {
  const first = problems.map(({ field, message }) => `${field} ${message}`).at(0);
  return conflict('definition_id', 'unresolvable', `revision ${revision.number} cannot be resolved: ${first}.`, {
    problems,
  });
}

function isolatedCopy({ manifest, secretPaths }: Pick<ResolvedManifest, 'manifest' | 'secretPaths'>, uid: string) {
  const access = accessOf(manifest);
  if (access !== undefined) throw conflict('id', 'host_access', `${access}, so no isolated copy can run.`);
  return isolated(manifest, secretPaths, uid);
}

/** Characters of canonical JSON. Resolving a spec of this size takes a few milliseconds. */
const SMALL_SPEC = 65_536;
/** Characters that the references of a spec can become at most. */
const SMALL_MANIFEST = 262_144;

interface Cost {
  readonly isCostly: boolean;
  readonly references: number;
}

const costs = new WeakMap<Canonical, Cost>();

/** Resolving a small spec with small values is linear in its length, except for bcrypt hashes. */
function isCostly(spec: Canonical, { inputs, secrets }: Pick<ResolveOptions, 'inputs' | 'secrets'>): boolean {
  let known = costs.get(spec);
  if (known === undefined) {
    const text = canonicalJson(spec);
    const isGrowing = Object.values(spec.vars).some((variable) => variable.includes('${'));
    const isLarge = text.length > SMALL_SPEC || text.includes('bcrypt') || isGrowing;
    known = { isCostly: isLarge, references: text.split('${').length - 1 };
    costs.set(spec, known);
  }
  if (known.isCostly) return true;
  const values = [...Object.values(inputs), ...Object.values(secrets)];
  const longest = Math.max(0, ...values.map((value) => (typeof value === 'string' ? value.length : 0)));
  return known.references * longest > SMALL_MANIFEST;
}
