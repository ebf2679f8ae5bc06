import type { Json, Time } from './columns.ts';

/** Webhook endpoints and deliveries. */
export interface WebhookTables {
  webhook_endpoints: {
    id: string;
    account_id: string;
    url: string;
    events: Json;
    secret: string;
    /** The previous secret, which also signs until it expires. */
    old_secret: string | null;
    old_secret_until: Time | null;
    status: 'active' | 'paused';
    /** Since when attempts have failed; null if the last one succeeded. */
    failing_since: Time | null;
    paused_because: 'user' | 'dead' | null;
    created_at: Time;
    updated_at: Time;
  };
  deliveries: {
    id: string;
    account_id: string;
    endpoint_id: string;
    event_id: string;
    event_type: string;
    seq: number;
    status: 'pending' | 'delivered' | 'dead';
    attempts: number;
    response_code: number | null;
    error: string | null;
    duration_ms: number | null;
    next_attempt_at: Time | null;
    delivered_at: Time | null;
    /** Beginning of the answer to the last attempt. */
    reply: string | null;
    created_at: Time;
  };
}
