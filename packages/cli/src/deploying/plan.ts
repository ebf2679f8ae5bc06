import type { Client } from '@hortus/client/client';
import type { Definition } from '@hortus/contract/resources/definition-records';
import { AUTO_SERVER, type CreatedDefinition } from '@hortus/contract/resources/placement-records';
import type { Server } from '@hortus/contract/resources/server-records';
import type { Canonical } from '@hortus/template/canonical/canonical-form';
import { appHosts, missingHosts } from '@hortus/template/inputs/app-hosts';
import { readLabels } from '../arguments/label-options.ts';
import { readTemplate } from '../arguments/template-reading.ts';
import { valueOptions } from '../arguments/value-options.ts';
import { Failure } from '../failure.ts';
import { definitionOfUid, findDefinition } from '../lookup/definitions.ts';
import { findServer, onlyServer } from '../lookup/servers.ts';
import type { World } from '../world/world.ts';
import { type Changes, completeInputs, exposedPasswords, isMultiline } from './inputs.ts';
import { type NeedChanges, readNeeds } from './needs.ts';

export interface Wish {
  readonly species: string | undefined;
  readonly definition: string | undefined;
  readonly name: string | undefined;
  readonly server: string | undefined;
  /** Labels of the server to choose, as key=value. */
  readonly label: readonly string[];
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
  /** Undefined if the service chooses it. */
  readonly server: Server | undefined;
  readonly labels: Readonly<Record<string, string>>;
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
  const labels = labelsOf(wish, existing);
  const server = await serverOf(service, wish, existing);
  const spelt = { set: 'set', setFile: 'set-file' };
  const keeps = (name: string) => isMultiline(canonical, name);
  const input: Changes = await valueOptions(world, spelt, wish.set, wish.setFile, keeps);
  for (const name of wish.unset) input[name] = null;
  for (const name of exposedPasswords(canonical, wish.set)) {
    world.terminal.note(
      `Other users of this machine can see ${name} on the command line; use --set-file ${name}=path instead.\n`,
    );
  }
  const uid = existing?.instance_uid ?? wish.name ?? species;
  const inputs = existing
    ? await completeInputs(world, canonical, input, {
        mode: 'merge',
        previous: existing.inputs,
        held: existing.secret_inputs,
      })
    : await completeInputs(
        world,
        canonical,
        input,
        { mode: 'create' },
        hostsOf(canonical, input, uid, server ?? (await likelyServer(service))),
      );
  const needs = await readNeeds(service, canonical, wish.need);
  return { uid, species, server, labels, existing, inputs, profile: wish.profile, variant: wish.variant, needs };
}

/** Returns the hosts that the service chooses for inputs that are not given. */
const hostsOf = (spec: Canonical, input: Changes, uid: string, server: Server | undefined): Changes =>
  server?.apps_domain ? appHosts(missingHosts(spec, input), uid, server.apps_domain) : {};

/** Finds a server whose domain stands for that of the one to be chosen. */
async function likelyServer(service: Client): Promise<Server | undefined> {
  const all = await Array.fromAsync(service.pages('servers.list'));
  return all.find(({ status, apps_domain }) => status === 'online' && apps_domain !== null);
}

function labelsOf({ server, label }: Wish, existing: Definition | undefined): Record<string, string> {
  if (label.length > 0 && (server !== AUTO_SERVER || existing !== undefined))
    throw new Failure('usage', '--label is only for a new definition with --server auto.');
  return readLabels(label);
}

/** Finds the existing definition; --definition requires it. */
async function existingOf(service: Client, { definition, name, species }: Wish): Promise<Definition | undefined> {
  if (definition !== undefined) return findDefinition(service, definition);
  const uid = name ?? species;
  return uid === undefined ? undefined : definitionOfUid(service, uid);
}

async function serverOf(service: Client, { server }: Wish, existing: Definition | undefined) {
  if (existing === undefined && server === AUTO_SERVER) return undefined;
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
  const what = uid === species ? '' : `: ${species}`;
  if (server === undefined) return `Creates ${uid}${what} on a server that the service chooses.`;
  const offline = server.status === 'online' ? '' : ` ${server.name} is ${server.status}; the deployment waits for it.`;
  if (existing === undefined) {
    return `Creates ${uid}${what} on ${server.name}.${offline}`;
  }
  const revision = isChange(plan)
    ? `The changes become a new revision after ${existing.current_revision}.`
    : `Deploys revision ${existing.current_revision} again.`;
  const archived = existing.status === 'archived' ? ' It is archived and becomes active again.' : '';
  return `${uid} exists on ${server.name}. ${revision}${archived}${offline}`;
}

export interface CarriedOut extends Pick<Definition, 'id' | 'current_revision'> {
  /** Name of the server. */
  readonly server: string;
  /** Why the service chose the server. */
  readonly why?: string | undefined;
}

/** Creates or updates the definition. */
export async function carryOut(service: Client, plan: Plan): Promise<CarriedOut> {
  const { id, current_revision, ...rest } = await written(service, plan);
  const placement = 'placement' in rest ? rest.placement : undefined;
  const chosen = placement?.considered.find(({ server_id }) => server_id === placement.server_id)?.name;
  return { id, current_revision, server: plan.server?.name ?? chosen ?? 'the server', why: placement?.reason };
}

async function written(service: Client, plan: Plan): Promise<Definition | CreatedDefinition> {
  const { uid, species, server, labels, existing, inputs, profile, variant, needs } = plan;
  const chosen = { ...(profile === undefined ? {} : { profile }), ...(variant === undefined ? {} : { variant }) };
  if (existing === undefined) {
    const values = Object.fromEntries(
      Object.entries(inputs).flatMap(([k, v]) => (v === null ? [] : [[k, v] as const])),
    );
    const bindings = Object.fromEntries(
      Object.entries(needs).flatMap(([k, v]) => (v === null ? [] : [[k, v] as const])),
    );
    const bound = Object.keys(bindings).length === 0 ? {} : { bindings };
    const place = server
      ? { server_id: server.id }
      : { server_id: AUTO_SERVER, ...(Object.keys(labels).length > 0 && { placement: { labels } }) };
    const body = { species, instance_uid: uid, ...place, inputs: values, ...chosen, ...bound };
    return (await service.call('definitions.create', { body })).data;
  }
  const params = { id: existing.id };
  let definition = existing;
  if (existing.status === 'archived') definition = (await service.call('definitions.activate', { params })).data;
  if (!isChange(plan)) return definition;
  const bound = Object.keys(needs).length === 0 ? {} : { bindings: needs };
  return (await service.call('definitions.update', { params, body: { inputs, ...chosen, ...bound } })).data;
}
