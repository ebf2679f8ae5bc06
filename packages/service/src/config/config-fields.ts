import type { Mode } from '../identity/tokens.ts';
import type { LogLevel } from '../process/log.ts';
import type { PlanLimits } from '../quotas/limits.ts';
import type { Retention } from '../retention/periods.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Requests per minute: per account by its plan, per address without a key, per server with a server key. */
export interface RateLimits {
  readonly free: number;
  readonly pro: number;
  readonly enterprise: number;
  readonly anonymous: number;
  readonly server: number;
}

/** Questions per user and month, by the plan of the account. */
export interface AssistantLimits {
  readonly free: number;
  readonly pro: number;
  readonly enterprise: number;
}

/** Open event streams. */
export interface StreamLimits {
  /** Of one account. */
  readonly account: number;
  /** Of this process. */
  readonly total: number;
}

export interface Config {
  readonly host: string;
  readonly port: number;
  readonly publicUrl: string;
  /** Host names, in addition to that of the public URL, under which browsers may use the service. */
  readonly allowedHosts: readonly string[];
  readonly mode: Mode;
  readonly dataDirectory: string;
  readonly databaseUrl: string | undefined;
  /** Where lists are read; everything else is read on the primary. */
  readonly databaseReads: 'primary' | 'standby';
  readonly catalogDirectory: string;
  /** Folder of the built console. */
  readonly consoleDirectory: string;
  /** Folders of agent binaries; the first one that has a binary is used. */
  readonly agentDirectories: readonly string[];
  readonly adminKey: string | undefined;
  readonly adminEmail: string;
  readonly adminPassword: string | undefined;
  readonly masterKey: string | undefined;
  readonly localServer: 'auto' | 'off';
  /** Whether npm start installs and starts a container engine where none answers. */
  readonly installEngine: 'ask' | 'yes' | 'no';
  /** Path of Caddy for the local daemon; by default the one in PATH. */
  readonly caddy: string | undefined;
  /** Ports of the local daemon's ingress; undefined takes 80 and 443, or higher ones if those need root. */
  readonly ingressHttp: number | undefined;
  readonly ingressHttps: number | undefined;
  /** Domain of definitions without one; undefined requires each domain. */
  readonly appsDomain: string | undefined;
  readonly rateLimits: RateLimits;
  readonly streamLimits: StreamLimits;
  readonly quotas: PlanLimits;
  /** Idle time after which a session ends. */
  readonly sessionIdleMinutes: number;
  readonly retention: Retention;
  /** Interval of pings to every daemon; a daemon that misses two is offline. */
  readonly pingSeconds: number;
  readonly webhookAllowPrivate: boolean;
  /** Mail server; undefined sends no mails. */
  readonly smtpUrl: string | undefined;
  readonly mailFrom: string;
  /** How long a message about an alert waits for further alerts. */
  readonly alertGroupSeconds: number;
  /** Interval in which rules look at servers and instances. */
  readonly alertWatchSeconds: number;
  readonly allowPlaintextManifest: boolean;
  /** Interval of upgrade scans; 0 disables them. */
  readonly upgradeScanHours: number;
  /** How long the source of a migration keeps its containers and volumes. */
  readonly migrationGraceMinutes: number;
  /** Address for the other replicas; undefined means the listening address. */
  readonly replicaUrl: string | undefined;
  /** Base address of an OpenAI-compatible API; undefined answers from the index alone. */
  readonly assistantUrl: string | undefined;
  readonly assistantKey: string | undefined;
  readonly assistantModel: string | undefined;
  readonly assistantLimits: AssistantLimits;
  readonly trustedProxies: readonly string[];
  readonly logLevel: LogLevel;
}
