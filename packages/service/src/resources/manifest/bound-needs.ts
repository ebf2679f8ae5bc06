import { withProfile } from '@hortus/template/canonical/canonical';
import type { Canonical } from '@hortus/template/canonical/canonical-form';
import { meets, usageOf } from '@hortus/template/resolution/needs';
import type { ResolvedProvision } from '@hortus/template/resolution/provisions';
import type { Link, ResolveOptions } from '@hortus/template/resolution/resolve';
import type { Queries } from '../../storage/storage.ts';
import type { OpenedConnection } from '../connections/public.ts';
import type { Bindings, DefinitionRow } from '../definitions/public.ts';

export interface BoundNeedsDeps {
  readonly openConnection: (queries: Queries, accountId: string, id: string) => Promise<OpenedConnection | undefined>;
  readonly definition: (queries: Queries, accountId: string, id: string) => Promise<DefinitionRow | undefined>;
  /** What the running revision of a definition provides, or its current one; as it was at a time, if one is given. */
  readonly provisions: (
    queries: Queries,
    definition: DefinitionRow,
    before: number,
  ) => Promise<readonly ResolvedProvision[]>;
  /** Whether the daemon of the server connects instances; also true if none has connected yet. */
  readonly canLink: (queries: Queries, serverId: string) => Promise<boolean>;
}

/** The definition whose needs are resolved. */
export interface Dependent {
  readonly accountId: string;
  readonly serverId: string;
  readonly spec: Canonical;
  readonly profile: string;
  readonly bindings: Bindings;
}

export interface BoundNeeds {
  readonly needs: NonNullable<ResolveOptions['needs']>;
  readonly links: NonNullable<ResolveOptions['links']>;
  /** Secret values among the attributes. */
  readonly secrets: readonly string[];
}

/** A need cannot be met by what it is bound to. */
export class UnmetNeed extends Error {
  readonly need: string;
  constructor(need: string, message: string) {
    super(message);
    this.need = need;
  }
}

interface Attribute {
  readonly value: string;
  readonly secret: boolean;
}

/** Reads the attributes of everything that the needs of a definition are bound to. */
export async function boundNeeds(
  queries: Queries,
  deps: BoundNeedsDeps,
  dependent: Dependent,
  { before, standIn }: { readonly before: number; readonly standIn: string },
): Promise<BoundNeeds> {
  const needs: Record<string, Record<string, string>> = {};
  const links: Record<string, Link[]> = {};
  const secrets: string[] = [];
  for (const { as, class: needed } of dependent.spec.needs) {
    const { connection, definition_id, instance } = dependent.bindings[as] ?? {};
    let attributes: Readonly<Record<string, Attribute>>;
    if (connection !== undefined) {
      const opened = await deps.openConnection(queries, dependent.accountId, connection);
      if (!opened) throw new UnmetNeed(as, 'is bound to a connection that was deleted');
      const changed = (at: number) => (at > before ? standIn : '');
      attributes = mapped(opened.attributes, (attribute) => ({
        ...attribute,
        value: `${attribute.value}${changed(attribute.updatedAt)}`,
      }));
    } else if (definition_id !== undefined) {
      const provider = await deps.definition(queries, dependent.accountId, definition_id);
      if (!provider || provider.status === 'archived')
        throw new UnmetNeed(as, `is bound to the instance ${instance}, which is archived`);
      const provided = (await deps.provisions(queries, provider, before)).find((provision) =>
        meets(provision.class, needed),
      );
      if (!provided) throw new UnmetNeed(as, `is bound to ${instance}, which no longer provides ${needed}`);
      links[as] = await linksTo(queries, deps, dependent, as, provider, provided);
      attributes = provided.attributes;
    } else continue;
    needs[as] = mapped(attributes, ({ value }) => value);
    for (const { value, secret } of Object.values(attributes)) if (secret) secrets.push(value);
  }
  return { needs, links, secrets };
}

/** Returns the components of the provider that the used attributes name; refuses those that cannot be reached. */
async function linksTo(
  queries: Queries,
  deps: BoundNeedsDeps,
  { spec, profile, serverId }: Dependent,
  as: string,
  provider: DefinitionRow,
  provided: ResolvedProvision,
): Promise<Link[]> {
  const used = usageOf(withProfile(spec, profile) ?? spec, as).attributes;
  const inside = Object.entries(provided.attributes).filter(([name]) => used.has(name));
  const components = [...new Set(inside.flatMap(([, attribute]) => attribute.components))];
  if (components.length === 0) return [];
  const { instance_uid, container_name: instance, id: definition_id } = provider;
  if (provider.server_id !== serverId)
    throw new UnmetNeed(as, `is bound to ${instance_uid}, which runs on another server and can be reached only there`);
  if (!(await deps.canLink(queries, serverId)))
    throw new UnmetNeed(
      as,
      `is bound to ${instance_uid}, but the daemon of the server is too old to connect them; update it`,
    );
  return components.map((component) => ({ instance, definition_id, component }));
}

const mapped = <From, To>(record: Readonly<Record<string, From>>, to: (from: From) => To): Record<string, To> =>
  Object.fromEntries(Object.entries(record).map(([name, nullable]) => [name, to(nullable)]));
