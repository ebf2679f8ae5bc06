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
};

/** Audit events appear in the same list but are never sent to webhooks; the prefix keeps their names apart. */
export type AuditName = `audit.${string}`;

export const isPublishedEvent = (name: string): name is EventName => (eventNames as readonly string[]).includes(name);
