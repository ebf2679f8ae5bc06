import type { alertMachine } from '@hortus/contract/machines/alert';
import type { StateOf } from '@hortus/contract/machines/machine';
import type { ChannelType } from '@hortus/contract/resources/notification-channels';
import type { RuleKind } from '@hortus/contract/resources/notifications';
import type { Flag, Json, Status, Time } from './columns.ts';

/** Alerts, the rules that raise them, and the messages about them. */
export interface NotificationTables {
  notification_channels: {
    id: string;
    account_id: string;
    type: ChannelType;
    name: string;
    /** Shown; contains no secret. */
    target: string;
    /** Address, token and other settings: `ChannelConfig`, sealed by the vault. */
    config: string;
    status: 'active' | 'paused';
    failing_since: Time | null;
    created_at: Time;
    updated_at: Time;
  };
  notification_rules: {
    id: string;
    account_id: string;
    name: string;
    kind: RuleKind;
    /** `Thresholds` of the contract. */
    thresholds: Json;
    /** Ids of channels; empty for all channels of the account. */
    channel_ids: Json;
    status: 'active' | 'paused';
    preset: Flag;
    created_at: Time;
    updated_at: Time;
  };
  /** Accounts that have their preset rules, and the last event that their rules have seen. */
  notification_accounts: { account_id: string; events_seq: number };
  alerts: {
    id: string;
    account_id: string;
    rule_id: string | null;
    kind: RuleKind;
    /** What the rule found it for; a rule has at most one unresolved alert for each subject. */
    subject: string;
    status: Status<StateOf<typeof alertMachine>>;
    title: string;
    text: string;
    fix: string;
    resource_type: string;
    resource_id: string;
    server_id: string | null;
    /** Ids of the channels that report it, and so report its end. */
    told: Json;
    since: Time;
    opened_at: Time | null;
    resolved_at: Time | null;
    created_at: Time;
    updated_at: Time;
  };
  /** A message to a channel, with its attempts. */
  notifications: {
    id: string;
    account_id: string;
    channel_id: string;
    title: string;
    /** Number of reported alerts. */
    alerts: number;
    /** `Message`, as it was when it was composed, so that every attempt sends the same. */
    message: Json;
    status: 'pending' | 'delivered' | 'dead';
    attempts: number;
    response_code: number | null;
    error: string | null;
    duration_ms: number | null;
    next_attempt_at: Time | null;
    delivered_at: Time | null;
    created_at: Time;
  };
  /** Alerts that the next message to a channel reports. */
  notification_queue: { channel_id: string; alert_id: string; phase: 'opened' | 'resolved'; created_at: Time };
  /** The certificate that the address of an instance presented when it was last checked. */
  certificates: {
    instance_id: string;
    account_id: string;
    server_id: string;
    name: string;
    host: string;
    expires_at: Time;
    checked_at: Time;
  };
  /** Number of mails about accounts to an address in an hour. */
  mail_windows: { address_hash: string; window_start: Time; count: number };
}
