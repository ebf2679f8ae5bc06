import type { shellEndings } from '@hortus/contract/resources/shells';
import type { Flag, Time } from './columns.ts';

/** Shell sessions and their recordings. */
export interface ShellTables {
  shells: {
    id: string;
    account_id: string;
    instance_id: string;
    server_id: string;
    component: string | null;
    /** Command and size of the terminal; encrypted, because arguments may contain secrets. */
    request: string;
    terminal: Flag;
    /** The key or session that opened it, which alone may connect. */
    credential_id: string;
    /** The key or user. */
    opened_by: string;
    address: string;
    created_at: Time;
    started_at: Time | null;
    ended_at: Time | null;
    /** Written about every minute while it runs; shows which sessions ended with their replica. */
    seen_at: Time | null;
    ending: (typeof shellEndings)[number] | null;
    exit_code: number | null;
    recorded_bytes: number;
    recording_cut: Flag;
  };
  shell_recordings: {
    shell_id: string;
    number: number;
    account_id: string;
    /** Encrypted events of asciicast v2. */
    content: string;
    /** Bytes of output in it. */
    bytes: number;
    created_at: Time;
  };
  /** Bytes of all recordings of an account. */
  stored_recordings: {
    account_id: string;
    bytes: number;
  };
}
