import type { Connection } from '../../channel/connection.ts';
import type { Gateway } from '../../channel/gateway.ts';
import type { Protect } from '../../channel/protect.ts';
import { type ClusterConnections, grantedMs, type Hello } from '../servers/public.ts';
import type { Leadership } from './leadership.ts';
import { Succession, type SuccessionOptions } from './succession.ts';

export interface MemberConnectionsOptions extends Omit<SuccessionOptions, 'gateway' | 'leadership' | 'lost'> {
  readonly leadership: Leadership;
  /** Signs what a member is told about its leadership. */
  readonly protect: Protect;
  /** Records that the leader of an epoch is not connected after all. */
  readonly lost: (serverId: string, epoch: number) => Promise<void>;
}

/** Handles the connections of members of clusters: one leads, the others wait. */
export class MemberConnections implements ClusterConnections {
  readonly #options: MemberConnectionsOptions;
  readonly #clock: () => number;
  #succession: Succession | undefined;

  constructor(options: MemberConnectionsOptions) {
    this.#options = options;
    this.#clock = options.clock ?? Date.now;
  }

  start(gateway: Pick<Gateway, 'members' | 'promote'>): void {
    this.#succession = new Succession({ ...this.#options, gateway });
    this.#succession.start();
  }

  async stop(): Promise<void> {
    await this.#succession?.stop();
  }

  async connected(connection: Connection, hello: Hello): Promise<number | 'standby'> {
    const { leadership } = this.#options;
    const from = this.#clock();
    const { number, term } = await leadership.connected(connection.serverId, connection.memberId, hello);
    connection.memberConnection = number;
    if (term === undefined) return 'standby';
    connection.leaderSince = term.since;
    connection.leaseUntil = from + leadership.leaseMs;
    return term.epoch;
  }

  /** Says whether it leads. A standby learns the epoch only when it takes over. */
  opened(connection: Connection): void {
    this.#notify(connection, {});
  }

  /** The lease counts from before the renewal was stored, so that the service never believes in a longer one. */
  async renewed(connection: Connection, { epoch, renewal }: { epoch: number; renewal?: number }): Promise<void> {
    const { leadership } = this.#options;
    const from = this.#clock();
    if (connection.standby) return connection.depose();
    // A renewal of an earlier connection may arrive before the daemon has read its new epoch.
    if (epoch !== connection.epoch) return this.#notify(connection, {});
    if (!(await leadership.renew(connection))) return connection.depose();
    connection.leaseUntil = from + leadership.leaseMs;
    this.#notify(connection, renewal === undefined ? {} : { renewal });
  }

  #notify(connection: Connection, responded: { renewal?: number }): void {
    const { memberId: member_id, standby, epoch, leaderSince: since } = connection;
    const { leadership, protect } = this.#options;
    const about = { type: 'leadership', member_id, epoch } as const;
    const state = standby
      ? { ...about, leads: false, lease_ms: 0 }
      : { ...about, leads: true, lease_ms: grantedMs(leadership.leaseMs), since, ...responded };
    connection.send(protect(state, connection));
  }

  async released(connection: Connection, epoch: number): Promise<void> {
    if (!connection.standby && epoch === connection.epoch) await this.#options.leadership.release(connection);
  }

  async disconnected({ memberId, memberConnection }: Connection): Promise<void> {
    await this.#options.leadership.disconnected(memberId, memberConnection);
  }
}
