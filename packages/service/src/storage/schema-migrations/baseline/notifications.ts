/** Webhooks, notification channels and rules, alerts, and certificates. */
export const notifications = [
  `create table webhook_endpoints (
    id text primary key, account_id text not null references accounts (id), url text not null, events text not null,
    secret text not null, status text not null, created_at bigint not null, updated_at bigint not null,
    old_secret text, old_secret_until bigint, failing_since bigint, paused_because text)`,
  `create index webhook_endpoints_of_account on webhook_endpoints (account_id, id)`,
  `create table deliveries (
    id text primary key, account_id text not null,
    endpoint_id text not null references webhook_endpoints (id) on delete cascade, event_id text not null,
    event_type text not null, seq bigint not null, status text not null, attempts integer not null,
    response_code integer, error text, duration_ms bigint, next_attempt_at bigint, delivered_at bigint,
    created_at bigint not null, reply text, unique (endpoint_id, event_id))`,
  `create index deliveries_of_endpoint on deliveries (endpoint_id, id)`,
  `create index deliveries_by_status on deliveries (endpoint_id, status, id)`,
  `create index deliveries_due on deliveries (endpoint_id, next_attempt_at) where status = 'pending'`,
  `create index deliveries_by_age on deliveries (created_at)`,
  `create table notification_channels (
    id text primary key, account_id text not null references accounts (id), type text not null, name text not null,
    target text not null, config text not null, status text not null, failing_since bigint,
    created_at bigint not null, updated_at bigint not null)`,
  `create index notification_channels_of_account on notification_channels (account_id, id)`,
  `create table notification_rules (
    id text primary key, account_id text not null references accounts (id), name text not null, kind text not null,
    thresholds text not null, channel_ids text not null, status text not null, preset integer not null,
    created_at bigint not null, updated_at bigint not null)`,
  `create index notification_rules_of_account on notification_rules (account_id, id)`,
  `create index notification_rules_by_kind on notification_rules (kind, account_id) where status = 'active'`,
  // Accounts that have got their first rules, and the last event that their rules have seen.
  `create table notification_accounts (
    account_id text primary key references accounts (id) on delete cascade, events_seq bigint not null)`,
  `create table alerts (
    id text primary key, account_id text not null references accounts (id),
    rule_id text references notification_rules (id) on delete set null, kind text not null, subject text not null,
    status text not null, title text not null, text text not null, fix text not null, resource_type text not null,
    resource_id text not null, server_id text, told text not null, since bigint not null, opened_at bigint,
    resolved_at bigint, created_at bigint not null, updated_at bigint not null)`,
  `create index alerts_of_account on alerts (account_id, id)`,
  `create index alerts_by_status on alerts (account_id, status, id)`,
  `create unique index alerts_unresolved on alerts (rule_id, subject) where status <> 'resolved'`,
  `create index alerts_resolved on alerts (resolved_at) where status = 'resolved'`,
  `create table notifications (
    id text primary key, account_id text not null references accounts (id),
    channel_id text not null references notification_channels (id) on delete cascade, title text not null,
    alerts integer not null, message text not null, status text not null, attempts integer not null,
    response_code integer, error text, duration_ms bigint, next_attempt_at bigint, delivered_at bigint,
    created_at bigint not null)`,
  `create index notifications_of_account on notifications (account_id, id)`,
  `create index notifications_of_channel on notifications (channel_id, id)`,
  `create index notifications_due on notifications (channel_id, next_attempt_at) where status = 'pending'`,
  `create index notifications_by_age on notifications (created_at)`,
  // Alerts that a channel has still to report.
  `create table notification_queue (
    channel_id text not null references notification_channels (id) on delete cascade,
    alert_id text not null references alerts (id) on delete cascade, phase text not null, created_at bigint not null,
    primary key (channel_id, alert_id, phase))`,
  `create index notification_queue_by_age on notification_queue (channel_id, created_at)`,
  `create index notification_queue_of_alert on notification_queue (alert_id)`,
  `create table certificates (
    instance_id text primary key references instances (id) on delete cascade, account_id text not null,
    server_id text not null, name text not null, host text not null, expires_at bigint not null,
    checked_at bigint not null)`,
  `create index certificates_by_expiry on certificates (expires_at)`,
  `create table mail_windows (
    address_hash text not null, window_start bigint not null, count integer not null,
    primary key (address_hash, window_start))`,
];
