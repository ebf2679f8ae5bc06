import type { Client } from '@hortus/client/client';
import type { Definition } from '@hortus/contract/resources/definition-records';
import type { Server } from '@hortus/contract/resources/servers';
import { Failure } from '../failure.ts';
import { givenValues } from '../given-values.ts';
import { definitionOfUid, findDefinition } from '../lookup/definitions.ts';
import { findServer, onlyServer } from '../lookup/servers.ts';
import { readTemplate } from '../template-reading.ts';
import type { World } from '../world.ts';
import { type Changes, completeInputs, exposedPasswords, isMultiline } from './inputs.ts';

export interface Wish {
  readonly species: string | undefined;
  readonly definition: string | undefined;
  readonly name: string | undefined;
  readonly server: string | undefined;
  readonly profile: string | undefined;
  readonly variant: string | undefined;
  readonly set: readonly string[];
  readonly setFile: readonly string[];
  readonly unset: readonly string[];
}

/** What is to be done, with nothing done yet. */
export interface Plan {
  readonly uid: string;
  readonly species: string;
  readonly server: Server;
  /** What is there already; undefined makes a new definition. */
  readonly existing: Definition | undefined;
  readonly inputs: Changes;
  readonly profile: string | undefined;
  readonly variant: string | undefined;
}

export async function makePlan(world: World, service: Client, wish: Wish): Promise<Plan> {
  const existing = await existingOf(service, wish);
  const species = wish.species ?? existing?.species;
  if (species === undefined) {
    throw new Failure('usage', 'deploy needs a species, or --definition.', { hint: 'hortus catalog list shows them.' });
  }
  if (existing !== undefined && existing.species !== species) {
    throw new Failure('usage', `${existing.instance_uid} is ${existing.species}, not ${species}.`, {
      hint: 'Give the new one another name with --name.',
    });
  }
  // A definition stays with the version it was made from until it is upgraded.
  const { canonical } = await readTemplate(service, existing?.template_id ?? species);
  const server = await serverOf(service, wish, existing);
  const spelt = { set: 'set', setFile: 'set-file' };
  const keeps = (name: string) => isMultiline(canonical, name);
  const given: Changes = await givenValues(world, spelt, wish.set, wish.setFile, keeps);
  for (const name of wish.unset) given[name] = null;
  for (const name of exposedPasswords(canonical, wish.set)) {
    world.terminal.note(
      `Others on this machine can see ${name} on the command line; --set-file ${name}=path hides it.\n`,
    );
  }
  const inputs = await completeInputs(
    world,
    canonical,
    given,
    existing ? { mode: 'merge', previous: existing.inputs, held: existing.secret_inputs } : { mode: 'create' },
  );
  const uid = existing?.instance_uid ?? wish.name ?? species;
  return { uid, species, server, existing, inputs, profile: wish.profile, variant: wish.variant };
}

/** --definition must be there; a name may be. */
async function existingOf(service: Client, { definition, name, species }: Wish): Promise<Definition | undefined> {
  if (definition !== undefined) return findDefinition(service, definition);
  const uid = name ?? species;
  return uid === undefined ? undefined : definitionOfUid(service, uid);
}

async function serverOf(service: Client, { server }: Wish, existing: Definition | undefined): Promise<Server> {
  if (existing === undefined) return server === undefined ? onlyServer(service) : findServer(service, server);
  const present = (await service.call('servers.read', { params: { id: existing.server_id } })).data;
  if (server !== undefined && server !== present.id && server !== present.name) {
    throw new Failure('usage', `${existing.instance_uid} runs on ${present.name} and cannot move to ${server}.`, {
      hint: 'Deploy it there under another --name.',
    });
  }
  return present;
}

const isChange = ({ inputs, profile, variant }: Plan): boolean =>
  Object.keys(inputs).length > 0 || profile !== undefined || variant !== undefined;

/** What a person is told before it happens. */
export function planWords(plan: Plan): string {
  const { uid, species, server, existing } = plan;
  const offline = server.status === 'online' ? '' : ` ${server.name} is ${server.status}; the deployment waits for it.`;
  if (existing === undefined) {
    const what = uid === species ? '' : `: ${species}`;
    return `${uid} is new${what} on ${server.name}.${offline}`;
  }
  const revision = isChange(plan)
    ? `Revision ${existing.current_revision} gets a successor.`
    : `Revision ${existing.current_revision} is deployed again.`;
  const archived = existing.status === 'archived' ? ' It is archived and becomes active again.' : '';
  return `${uid} is there already, on ${server.name}. ${revision}${archived}${offline}`;
}

/** Makes or changes the definition. */
export async function carryOut(service: Client, plan: Plan): Promise<Definition> {
  const { uid, species, server, existing, inputs, profile, variant } = plan;
  const chosen = { ...(profile === undefined ? {} : { profile }), ...(variant === undefined ? {} : { variant }) };
  if (existing === undefined) {
    const values = Object.fromEntries(
      Object.entries(inputs).flatMap(([k, v]) => (v === null ? [] : [[k, v] as const])),
    );
    const body = { species, instance_uid: uid, server_id: server.id, inputs: values, ...chosen };
    return (await service.call('definitions.create', { body })).data;
  }
  const params = { id: existing.id };
  let definition = existing;
  if (existing.status === 'archived') definition = (await service.call('definitions.activate', { params })).data;
  if (!isChange(plan)) return definition;
  return (await service.call('definitions.update', { params, body: { inputs, ...chosen } })).data;
}
