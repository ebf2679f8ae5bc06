import type { Connection } from './connection.ts';

/** Knows the connection of each server and, for clusters, of each member. */
export class ConnectionRegistry {
  readonly #servers = new Map<string, Connection>();
  /** By member of a cluster, including the members that lead. */
  readonly #members = new Map<string, Connection>();

  /** Returns the connection of a server; for a cluster, that of the member that leads. */
  of(serverId: string): Connection | undefined {
    return this.#servers.get(serverId);
  }

  servers(): IterableIterator<Connection> {
    return this.#servers.values();
  }

  members(): IterableIterator<Connection> {
    return this.#members.values();
  }

  get size(): number {
    return this.#servers.size;
  }

  /** Adds an authenticated connection. Returns false, and closes it, if a newer one has taken its place. */
  add(connection: Connection): boolean {
    return this.#join(connection) && (connection.standby || this.lead(connection));
  }

  /** Makes it the connection of its server, unless a newer one is. Simultaneous ones may arrive in reverse order. */
  lead(connection: Connection): boolean {
    const present = this.#servers.get(connection.serverId);
    if (present && present.epoch > connection.epoch) {
      connection.supersede(present.memberId);
      return false;
    }
    this.#servers.set(connection.serverId, connection);
    if (present !== connection) present?.supersede(connection.memberId);
    return true;
  }

  delete(connection: Connection): void {
    const { serverId, memberId } = connection;
    if (this.#servers.get(serverId) === connection) this.#servers.delete(serverId);
    if (this.#members.get(memberId) === connection) this.#members.delete(memberId);
  }

  /** Makes it the connection of its member, if its server is a cluster. */
  #join(connection: Connection): boolean {
    const { memberId, memberConnection } = connection;
    if (memberId === '') return true;
    const present = this.#members.get(memberId);
    if (present && present.memberConnection > memberConnection) {
      connection.replace();
      return false;
    }
    this.#members.set(memberId, connection);
    present?.replace();
    return true;
  }
}
