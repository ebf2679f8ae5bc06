import type { Connection } from '../../channel/connection.ts';
import type { Gateway } from '../../channel/gateway.ts';
import type { Hello } from './liveness/liveness.ts';

/** Decides which of the connections of a cluster's members is that of the server. */
export interface ClusterConnections {
  /** Begins to watch the members that are connected to this process. */
  start(gateway: Pick<Gateway, 'members' | 'promote'>): void;
  stop(): Promise<void>;
  /** Returns the epoch of the member if it leads. */
  connected(connection: Connection, hello: Hello): Promise<number | 'standby'>;
  /** Tells a member whether it leads. */
  opened(connection: Connection): void;
  renewed(connection: Connection, renewal: { epoch: number; renewal?: number }): Promise<void>;
  released(connection: Connection, epoch: number): Promise<void>;
  disconnected(connection: Connection): Promise<void>;
}
