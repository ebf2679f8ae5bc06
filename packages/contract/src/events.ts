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
};

/** Audit events appear in the same list but are never sent to webhooks; the prefix keeps their names apart. */
export type AuditName = `audit.${string}`;

export const isPublishedEvent = (name: string): name is EventName => (eventNames as readonly string[]).includes(name);
