import type { Json, Time } from './columns.ts';

/** Who is told of events, and what was sent to him. */
export interface WebhookTables {
  webhook_endpoints: {
    id: string;
    account_id: string;
    url: string;
    events: Json;
    secret: string;
    /** The one before, which signs too until its time is over. */
    old_secret: string | null;
    old_secret_until: Time | null;
    status: 'active' | 'paused';
    /** Since when no attempt has gone well; null when the last one did. */
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
    created_at: Time;
  };
}
