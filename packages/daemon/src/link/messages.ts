import type { SealedFields } from '@hortus/contract/protocol/sealing';
import type { UpdateOrder } from '@hortus/contract/releases/daemon-update';
import type { ActionRequest } from '../journal/action.ts';
import type { StreamOrder } from '../streams/dial-back.ts';
import type { LeadershipMessage } from './leadership.ts';
import { hasTooManyValues } from './message-limits.ts';
import { isUpdateOrder } from './update-message.ts';

/** Capabilities beyond the published messages; the service uses only announced ones. Members of a cluster also announce `cluster`. */
export const CAPABILITIES = [
  'journal',
  'wake',
  'ack',
  'builtin',
  'rotate',
  'cancel',
  'transfer',
  'transfer-stream',
  'bundle',
  'seal',
  'streams',
  'metrics',
  'shell',
  'trace',
  'copies',
  'update',
  'links',
  'nonce',
  'empty-restores',
] as const;

/** Fields of a signed order; `acceptOrder` checks them. */
interface Proof {
  server_id?: string;
  issued_at?: string;
  expires_at?: string;
  connection_nonce?: string;
  order_number?: number;
  sealed?: SealedFields;
  signature?: string;
}

export type FromService =
  | ({ type: 'action_request' } & ActionRequest)
  | { type: 'ping'; ts?: number; spread_ms?: number }
  | {
      type: 'authenticated';
      server_id?: string;
      capabilities?: string[];
      manifest_public_key?: string;
      ping_seconds?: number;
    }
  | (LeadershipMessage & Proof)
  | { type: 'deployment_available'; deployment_id?: string }
  | { type: 'transfer_available' }
  | { type: 'result_recorded'; execution_id: string }
  | ({ type: 'action_cancel'; execution_id: string } & Proof)
  | ({ type: 'rotate_key'; api_key: string; rotation?: string } & Proof)
  | ({ type: 'daemon_update' } & UpdateOrder & Proof)
  | ({ type: 'stream_open' } & StreamOrder & Proof)
  | { type: 'identity_conflict'; fingerprint: string | null; seen_at: string };

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
/** Requires the form of an id, because it becomes part of names and labels. */
const isId = (value: unknown): value is string => typeof value === 'string' && /^[A-Za-z0-9_-]{1,100}$/.test(value);
const isTextList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

const isSealed = (value: unknown): boolean =>
  isObject(value) && isText(value.ephemeral_key) && isObject(value.fields) && Object.values(value.fields).every(isText);

/** Validity checks by type. Unknown fields pass; unknown types are ignored. */
const forms: Record<FromService['type'], (message: Record<string, unknown>) => boolean> = {
  action_request: ({ execution_id, container_name, action, params }) =>
    isId(execution_id) &&
    isObject(action) &&
    isText(action.slug) &&
    isText(action.type) &&
    // Actions on the server itself have no container.
    (isText(container_name) || (container_name === '' && action.type === 'builtin')) &&
    isTextList(action.command) &&
    isObject(params),
  ping: () => true,
  authenticated: ({ capabilities, ping_seconds }) =>
    (capabilities === undefined || isTextList(capabilities)) &&
    (ping_seconds === undefined || (typeof ping_seconds === 'number' && ping_seconds >= 1)),
  leadership: ({ leads, epoch, lease_ms, since, renewal }) =>
    typeof leads === 'boolean' &&
    [epoch, lease_ms, since ?? 0, renewal ?? 0].every((value) => Number.isSafeInteger(value)),
  deployment_available: () => true,
  transfer_available: () => true,
  result_recorded: ({ execution_id }) => isId(execution_id),
  action_cancel: ({ execution_id }) => isId(execution_id),
  // Empty if sealed.
  rotate_key: ({ api_key, sealed }) => isText(api_key) || (api_key === '' && isSealed(sealed)),
  daemon_update: isUpdateOrder,
  stream_open: ({ stream_id, ticket, kind, instance, sealed }) =>
    isText(stream_id) && (isText(ticket) || (ticket === '' && isSealed(sealed))) && isText(kind) && isText(instance),
  identity_conflict: ({ fingerprint, seen_at }) => (fingerprint === null || isText(fingerprint)) && isText(seen_at),
};

export function readMessage(text: string): FromService | undefined {
  if (hasTooManyValues(text)) return undefined;
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(message) || !Object.hasOwn(forms, String(message.type))) return undefined;
  const input = { ...message };
  if (input.type === 'action_request') {
    input.params ??= {};
    if (isObject(input.action)) input.action = { command: [], timeout: '', ...input.action };
  }
  if (input.sealed !== undefined && !isSealed(input.sealed)) return undefined;
  return forms[input.type as FromService['type']](input) ? (input as unknown as FromService) : undefined;
}
