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
] as const;

export type EventName = (typeof eventNames)[number];

/** When each is fired, for the documentation. */
export const eventMeanings: Readonly<Record<EventName, string>> = {
  'deployment.started': 'A daemon has claimed a deployment and begins.',
  'deployment.success': 'A deployment has ended well.',
  'deployment.failed': 'A deployment has failed, was cancelled or ran out of time.',
  'instance.started': 'An instance is running that was not.',
  'instance.stopped': 'An instance was stopped or released.',
  'instance.unhealthy': 'An instance has become unhealthy.',
  'definition.created': 'A definition was created.',
  'definition.updated': 'A definition has a new current revision, was archived or was reactivated.',
  'action.completed': 'An action has ended well.',
  'action.failed': 'An action has failed or ran out of time.',
};

/** What is worth an audit but is nobody's webhook: it stands in the same list under names of its own. */
export type AuditName = `audit.${string}`;

export const isPublishedEvent = (name: string): name is EventName => (eventNames as readonly string[]).includes(name);
