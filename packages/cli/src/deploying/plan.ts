import type { Client } from '@hortus/client/client';
import type { Definition } from '@hortus/contract/resources/definition-records';
import type { Server } from '@hortus/contract/resources/server-records';
import { appHosts, missingHosts } from '@hortus/template/app-hosts';
import type { Canonical } from '@hortus/template/canonical-form';
import { Failure } from '../failure.ts';
import { givenValues } from '../given-values.ts';
import { definitionOfUid, findDefinition } from '../lookup/definitions.ts';
import { findServer, onlyServer } from '../lookup/servers.ts';
import { readTemplate } from '../template-reading.ts';
import type { World } from '../world.ts';
import { type Changes, completeInputs, exposedPasswords, isMultiline } from './inputs.ts';
import { type NeedChanges, readNeeds } from './needs.ts';

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
  readonly need: readonly string[];
}

/** Describes the deployment before anything is changed. */
export interface Plan {
  readonly uid: string;
  readonly species: string;
  readonly server: Server;
  /** The existing definition; undefined creates one. */
  readonly existing: Definition | undefined;
  readonly inputs: Changes;
  readonly profile: string | undefined;
  readonly variant: string | undefined;
  readonly needs: NeedChanges;
}

export async function makePlan(world: World, service: Client, wish: Wish): Promise<Plan> {
  const existing = await existingOf(service, wish);
  const species = wish.species ?? existing?.species;
  if (species === undefined) {
    throw new Failure('usage', 'deploy needs a species, or --definition.', { hint: 'hortus catalog list shows them.' });
  }
  if (existing !== undefined && existing.species !== species) {
    throw new Failure('usage', `${existing.instance_uid} is ${existing.species}, not ${species}.`, {
      hint: 'Choose another name with --name.',
    });
  }
  // A definition keeps its template version until it is upgraded.
  const { canonical } = await readTemplate(service, existing?.template_id ?? species);
  const server = await serverOf(service, wish, existing);
  const spelt = { set: 'set', setFile: 'set-file' };
  const keeps = (name: string) => isMultiline(canonical, name);
  const given: Changes = await givenValues(world, spelt, wish.set, wish.setFile, keeps);
  for (const name of wish.unset) given[name] = null;
  for (const name of exposedPasswords(canonical, wish.set)) {
    world.terminal.note(
      `Other users of this machine can see ${name} on the command line; use --set-file ${name}=path instead.\n`,
    );
  }
  const uid = existing?.instance_uid ?? wish.name ?? species;
  const inputs = existing
    ? await completeInputs(world, canonical, given, {
        mode: 'merge',
        previous: existing.inputs,
        held: existing.secret_inputs,
      })
    : await completeInputs(world, canonical, given, { mode: 'create' }, hostsOf(canonical, given, uid, server));
  const needs = await readNeeds(service, canonical, wish.need);
  return { uid, species, server, existing, inputs, profile: wish.profile, variant: wish.variant, needs };
}

/** Returns the hosts that the service chooses for inputs that are not given. */
const hostsOf = (spec: Canonical, given: Changes, uid: string, { apps_domain }: Server): Changes =>
  apps_domain === null ? {} : appHosts(missingHosts(spec, given), uid, apps_domain);

/** Finds the existing definition; --definition requires it. */
async function existingOf(service: Client, { definition, name, species }: Wish): Promise<Definition | undefined> {
  if (definition !== undefined) return findDefinition(service, definition);
  const uid = name ?? species;
  return uid === undefined ? undefined : definitionOfUid(service, uid);
}

async function serverOf(service: Client, { server }: Wish, existing: Definition | undefined): Promise<Server> {
  if (existing === undefined) return server === undefined ? onlyServer(service) : findServer(service, server);
  const present = (await service.call('servers.read', { params: { id: existing.server_id } })).data;
  if (server !== undefined && server !== present.id && server !== present.name) {
    throw new Failure('usage', `${existing.instance_uid} runs on ${present.name}, not on ${server}.`, {
      hint: 'Move it with hortus definitions migrate, or deploy a new one with another --name.',
    });
  }
  return present;
}

const isChange = ({ inputs, profile, variant, needs }: Plan): boolean =>
  Object.keys({ ...inputs, ...needs }).length > 0 || profile !== undefined || variant !== undefined;

/** Describes the plan for the confirmation. */
export function planWords(plan: Plan): string {
  const { uid, species, server, existing } = plan;
  const offline = server.status === 'online' ? '' : ` ${server.name} is ${server.status}; the deployment waits for it.`;
  if (existing === undefined) {
    const what = uid === species ? '' : `: ${species}`;
    return `Creates ${uid}${what} on ${server.name}.${offline}`;
  }
  const revision = isChange(plan)
    ? `The changes become a new revision after ${existing.current_revision}.`
    : `Deploys revision ${existing.current_revision} again.`;
  const archived = existing.status === 'archived' ? ' It is archived and becomes active again.' : '';
  return `${uid} exists on ${server.name}. ${revision}${archived}${offline}`;
}

/** Creates or updates the definition. */
export async function carryOut(service: Client, plan: Plan): Promise<Definition> {
  const { uid, species, server, existing, inputs, profile, variant, needs } = plan;
  const chosen = { ...(profile === undefined ? {} : { profile }), ...(variant === undefined ? {} : { variant }) };
  if (existing === undefined) {
    const values = Object.fromEntries(
      Object.entries(inputs).flatMap(([k, v]) => (v === null ? [] : [[k, v] as const])),
    );
    const bindings = Object.fromEntries(
      Object.entries(needs).flatMap(([k, v]) => (v === null ? [] : [[k, v] as const])),
    );
    const bound = Object.keys(bindings).length === 0 ? {} : { bindings };
    const body = { species, instance_uid: uid, server_id: server.id, inputs: values, ...chosen, ...bound };
    return (await service.call('definitions.create', { body })).data;
  }
  const params = { id: existing.id };
  let definition = existing;
  if (existing.status === 'archived') definition = (await service.call('definitions.activate', { params })).data;
  if (!isChange(plan)) return definition;
  const bound = Object.keys(needs).length === 0 ? {} : { bindings: needs };
  return (await service.call('definitions.update', { params, body: { inputs, ...chosen, ...bound } })).data;
}
