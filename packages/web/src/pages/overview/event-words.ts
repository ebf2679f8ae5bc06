import type { EventName } from '@hortus/contract/events';
import type { Event } from '@hortus/contract/resources/events';
import type { Overview } from '@hortus/contract/resources/overview';

/** What happened, after the name of what it happened to. */
const WORDS: Readonly<Record<EventName, string>> = {
  'deployment.started': 'started to deploy',
  'deployment.success': 'was deployed',
  'deployment.failed': 'was not deployed',
  'instance.started': 'started',
  'instance.stopped': 'stopped',
  'instance.unhealthy': 'became unhealthy',
  'definition.created': 'was defined',
  'definition.updated': 'has a new revision',
  'action.completed': 'completed an action',
  'action.failed': 'failed an action',
  'garden.planned': 'was planned from a file',
  'garden.applied': 'is as its file says',
  'garden.failed': 'was not applied completely',
  'garden.commit.planned': 'has a planned commit',
  'garden.commit.waiting': 'has a commit that waits for an approval',
  'garden.commit.applied': 'is as its newest commit says',
  'garden.commit.failed': 'could not apply a commit',
  'garden.commit.broken': 'has a commit that cannot be planned',
  'daemon_update.started': 'are being updated',
  'daemon_update.halted': 'wait for a decision',
  'daemon_update.completed': 'were updated',
  'daemon_update.failed': 'were not updated',
  'node.lost': 'lost a node',
  'node.returned': 'has a lost node back',
};

/** An event in words: "became unhealthy"; "Server registered" for an audit event. */
export function eventWords({ type, data }: Event, hasSubject: boolean): string {
  if (Object.hasOwn(WORDS, type)) {
    const words = WORDS[type as EventName];
    const revision = typeof data.revision === 'number' ? `, revision ${data.revision}` : '';
    return `${hasSubject ? '' : 'Something '}${words}${type.startsWith('deployment.') ? revision : ''}`;
  }
  const words = type.replace(/^audit\./, '').replaceAll(/[_.]/g, ' ');
  return hasSubject ? words : `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

interface Subject {
  readonly name?: string;
  readonly species?: string;
  readonly family?: string | null;
}

/** What an event is about, by the ids that it names. */
export function subjectOf({ resource_id, data }: Event, { instances, servers }: Overview): Subject {
  const ids = new Set([resource_id, data.instance_id, data.definition_id]);
  const instance = instances?.find(({ id, definition_id }) => ids.has(id) || ids.has(definition_id));
  if (instance) return instance;
  const server = servers?.find(({ id }) => id === resource_id);
  if (server) return { name: server.name };
  return typeof data.name === 'string' ? { name: data.name } : {};
}
