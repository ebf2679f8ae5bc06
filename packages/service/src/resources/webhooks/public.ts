// What other resources may use of webhooks.
export { change } from './change.ts';
export { allWithSecrets, register, remove, type WebhookDeps } from './service.ts';
