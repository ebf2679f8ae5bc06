import type { Client } from '@hortus/client/client';
import { forges, gardenModes } from '@hortus/contract/resources/garden-source-records';
import { connect } from '../settings/connection.ts';
import type { Settings } from '../settings/settings.ts';
import type { Candidate, NamesOf } from './candidates.ts';

/** Time for all requests of one completion. A shell waits for it at every press of the key. */
const MAX_MS = 1_000;

type List = (client: Client, signal: AbortSignal) => AsyncIterable<Candidate>;

/** Names that the service knows, by placeholder. */
const lists: Readonly<Record<string, List>> = {
  async *instance(client, signal) {
    for await (const { instance_uid, species, status } of client.pages('instances.list', { signal }))
      if (status !== 'released') yield { word: instance_uid, about: `${species}, ${status}` };
  },
  async *definition(client, signal) {
    for await (const { instance_uid, species, status } of client.pages('definitions.list', { signal }))
      yield { word: instance_uid, about: `${species}, ${status}` };
  },
  async *connection(client, signal) {
    for await (const page of client.pages('connections.list', { signal })) yield { word: page.name, about: page.class };
  },
  async *server(client, signal) {
    for await (const { name, environment, status } of client.pages('servers.list', { signal }))
      yield { word: name, about: `${environment}, ${status}` };
  },
  async *species(client, signal) {
    for await (const { species, description } of client.pages('templates.list', { signal }))
      yield { word: species, about: description };
  },
  async *garden(client, signal) {
    for await (const { name, source } of client.pages('gardens.list', { signal }))
      yield { word: name, about: source === null ? 'from files' : `follows ${source.url}` };
  },
  async *tenant(client, signal) {
    for await (const { slug, name } of client.pages('tenants.list', { signal })) yield { word: slug, about: name };
  },
  async *upgrade(client, signal) {
    for await (const { instance_name, to_version } of client.pages('upgrades.list', { signal }))
      yield { word: instance_name, about: `to ${to_version}` };
  },
};
/** Placeholders that accept the names of another one. */
const alike: Readonly<Record<string, string>> = { template: 'species', deployment: 'definition' };

/** Words that need no service. */
function localNames(settings: Settings, kind: string): readonly Candidate[] {
  if (kind === 'context') return Object.keys(settings.file.contexts).map((word) => ({ word }));
  if (kind === 'shell') return ['bash', 'zsh', 'fish'].map((word) => ({ word }));
  if (kind === 'format') return ['json', 'yaml', 'name'].map((word) => ({ word }));
  if (kind === 'mode') return gardenModes.map((word) => ({ word }));
  if (kind === 'forge') return forges.map((word) => ({ word }));
  return [];
}

/** Asks the service within a second. Silent on failure: an error message would land in the middle of a command line. */
export const namesFor =
  (settings: () => Promise<Settings>): NamesOf =>
  async (kind) => {
    const list = lists[alike[kind] ?? kind];
    const found: Candidate[] = [];
    try {
      if (list === undefined) return localNames(await settings(), kind);
      const client = connect(await settings());
      for await (const candidate of list(client, AbortSignal.timeout(MAX_MS))) found.push(candidate);
    } catch {
      // Names that arrived in time are offered.
    }
    return found;
  };
