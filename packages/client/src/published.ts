// The package @hortus/client: what programs outside of this repository import. Runs in browsers and in Node.
export type {
  BodyOf,
  ParamsOf,
  QueryOf,
  ResponseOf,
} from '@hortus/contract/endpoint';
export type { EndpointName, Endpoints, LiveName } from '@hortus/contract/endpoints';
export type { ErrorCode } from '@hortus/contract/errors';
export type { EventName } from '@hortus/contract/events';
export { type CallOf, type Client, type ClientOptions, createClient, type FileName, type ListName } from './client.ts';
export { ApiProblem } from './problem.ts';
export { defaultRetries, type RetryPolicy } from './retry.ts';
export type { StreamEvent } from './stream.ts';
export { type WaitOptions, waitFor } from './wait-for.ts';
export { type WorkName, waitForEnd } from './wait-for-end.ts';
export { readWebhook, type WebhookDelivery, type WebhookHeaders } from './webhook.ts';
export { isSignedWith } from './webhook-signature.ts';
