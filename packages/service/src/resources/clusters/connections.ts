import type { Connection } from '../../channel/connection.ts';
import type { Gateway } from '../../channel/gateway.ts';
import type { ClusterConnections, Hello } from '../servers/public.ts';
import type { Leadership } from './leadership.ts';
import { Succession, type SuccessionOptions } from './succession.ts';

export interface MemberConnectionsOptions extends Omit<SuccessionOptions, 'gateway' | 'leadership' | 'lost'> {
  readonly leadership: Leadership;
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
    const { number, epoch } = await leadership.connected(connection.serverId, connection.memberId, hello);
    connection.memberConnection = number;
    if (epoch === undefined) return 'standby';
    connection.leaseUntil = from + leadership.leaseMs;
    return epoch;
  }

  /** Says whether it leads. A standby learns the epoch only when it takes over. */
  opened(connection: Connection): void {
    const { memberId: member_id, standby, epoch } = connection;
    const lease_ms = this.#options.leadership.leaseMs;
    connection.send({ type: 'leadership', member_id, leads: !standby, epoch, lease_ms: standby ? 0 : lease_ms });
  }

  /** The lease counts from before the renewal was stored, so that the service never believes in a longer one. */
  async renewed(connection: Connection, epoch: number): Promise<void> {
    const { leadership } = this.#options;
    const from = this.#clock();
    if (connection.standby || epoch !== connection.epoch || !(await leadership.renew(connection))) {
      connection.depose();
      return;
    }
    connection.leaseUntil = from + leadership.leaseMs;
    this.opened(connection);
  }

  async released(connection: Connection, epoch: number): Promise<void> {
    if (!connection.standby && epoch === connection.epoch) await this.#options.leadership.release(connection);
  }

  async disconnected({ memberId, memberConnection }: Connection): Promise<void> {
    await this.#options.leadership.disconnected(memberId, memberConnection);
  }
}
