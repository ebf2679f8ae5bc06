/** The published events. Webhook endpoints subscribe to these and to nothing else. */
export const eventNames = [
  'deployment.started',
  'deployment.success',
  'deployment.failed',
  'instance.started',
  'instance.stopped',
  'instance.unhealthy',
  'definition.created',
  'definition.updated',
  'action.completed',
  'action.failed',
  'garden.planned',
  'garden.applied',
  'garden.failed',
  'garden.commit.planned',
  'garden.commit.waiting',
  'garden.commit.applied',
  'garden.commit.failed',
  'garden.commit.broken',
  'daemon_update.started',
  'daemon_update.halted',
  'daemon_update.completed',
  'daemon_update.failed',
  'node.lost',
  'node.returned',
] as const;

export type EventName = (typeof eventNames)[number];

/** When each event is fired, for the documentation. */
export const eventMeanings: Readonly<Record<EventName, string>> = {
  'deployment.started': 'A daemon has claimed a deployment and starts it.',
  'deployment.success': 'A deployment has succeeded.',
  'deployment.failed': 'A deployment has failed, was cancelled or timed out.',
  'instance.started': 'An instance has started to run.',
  'instance.stopped': 'An instance was stopped or released.',
  'instance.unhealthy': 'An instance has become unhealthy.',
  'definition.created': 'A definition was created.',
  'definition.updated': 'A definition has a new current revision, was archived or was reactivated.',
  'action.completed': 'An action has succeeded.',
  'action.failed': 'An action has failed or timed out.',
  'garden.planned': 'A garden was compared with what exists, to be applied now or after an approval.',
  'garden.applied': 'All changes of a garden were carried out.',
  'garden.failed': 'A garden could not be applied completely; what failed is named.',
  'garden.commit.planned': 'A commit of a followed repository was compared with what exists.',
  'garden.commit.waiting': 'A commit of a followed repository waits for an approval.',
  'garden.commit.applied': 'A commit of a followed repository was applied.',
  'garden.commit.failed': 'A commit of a followed repository could not be applied; the reason is named.',
  'garden.commit.broken':
    'A commit of a followed repository has files that cannot be planned; what was applied before stays as it is.',
  'daemon_update.started': 'An update of the daemons of servers was ordered.',
  'daemon_update.halted': 'An update of daemons waits for a decision, because too many daemons failed.',
  'daemon_update.completed': 'An update of daemons has ended, with no more failures than allowed.',
  'daemon_update.failed': 'An update of daemons has ended with too many failures.',
  'node.lost':
    'A node of a cluster no longer answers; the first 20 components that ran there are named, and how many more.',
  'node.returned': 'A lost node of a cluster answers again.',
};

/** Audit events appear in the same list but are never sent to webhooks; the prefix keeps their names apart. */
export type AuditName = `audit.${string}`;

export const isPublishedEvent = (name: string): name is EventName => (eventNames as readonly string[]).includes(name);
