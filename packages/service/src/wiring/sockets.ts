import type { IncomingMessage } from 'node:http';
import type { Bus } from '../bus/bus.ts';
import type { Gateway } from '../channel/gateway.ts';
import type { Config } from '../config/config.ts';
import { callerAddress } from '../http/caller-address.ts';
import type { Http } from '../http/server.ts';
import type { Authenticator } from '../identity/authenticator.ts';
import type { Guard } from '../process/guard.ts';
import type { Log } from '../process/log.ts';
import { Relay } from '../relay/relay.ts';
import { TransferUpgrades } from '../relay/transfer-upgrades.ts';
import { MemberConnections } from '../resources/clusters/connections.ts';
import { openDaemonChannel } from '../resources/servers/daemon-channel.ts';
import { ShellUpgrades } from '../resources/shells/shell-upgrades.ts';
import type { Storage } from '../storage/storage.ts';
import type { DaemonStreams } from '../streams/daemon-streams.ts';
import { StreamUpgrades } from '../streams/stream-upgrades.ts';
import type { Hmac } from '../streams/ticket.ts';
import type { Vault } from '../vault/vault.ts';
import type { Work } from '../workers/job.ts';
import type { Wired } from './wiring.ts';

interface SocketsDeps {
  readonly config: Pick<Config, 'trustedProxies' | 'pingSeconds' | 'appsDomain'>;
  readonly log: Log;
  readonly replica: string;
  readonly storage: Storage;
  readonly bus: Bus;
  readonly vault: Vault;
  readonly guard: Guard;
  readonly work: Work;
  readonly authenticator: Authenticator;
  readonly http: Http;
  readonly wired: Wired;
  readonly streams: DaemonStreams;
  readonly hmac: Hmac;
  /** Address of this replica for daemons and other replicas. */
  readonly ownUrl: () => string;
}

export interface Sockets {
  /** The connections of daemons. */
  readonly gateway: Gateway;
  /** Call before the HTTP server closes, which waits for the last socket. */
  close(): Promise<void>;
}

/** Opens the WebSockets: the daemon channel, the relay of transfers, streams of daemons, and shells. */
export async function openSockets(deps: SocketsDeps): Promise<Sockets> {
  const { config, log, replica, storage, bus, vault, guard, work, authenticator, http, wired, streams, hmac, ownUrl } =
    deps;
  const callerOf = callerAddress(config.trustedProxies);
  const addressOf = ({ socket, headers }: IncomingMessage) =>
    callerOf(socket.remoteAddress, headers['x-forwarded-for'] as string | undefined);
  const channel = await openDaemonChannel({
    storage,
    bus,
    vault,
    replica,
    log,
    work,
    protect: wired.protect,
    liveness: wired.liveness,
    clusters: new MemberConnections({
      storage,
      bus,
      replica,
      log,
      leadership: wired.leadership,
      protect: wired.protect,
      lost: (serverId, epoch) => wired.liveness.disconnected(serverId, epoch, false),
    }),
    dispatch: wired.dispatch,
    report: wired.report,
    updateReported: wired.updateReported,
    deploymentWaits: wired.deploymentWaits,
    transferWaits: (serverId) => wired.transfers.waitsFor(serverId),
    serversWithWork: wired.serversWithWork,
    upgrades: http.upgrades,
    refuse: http.refuse,
    known: http.known,
    addressOf,
    authenticate: http.authenticate,
    times: { pingEveryMs: config.pingSeconds * 1_000 },
    appsDomain: config.appsDomain,
  });
  const door = new TransferUpgrades({
    relay: new Relay(guard),
    upgrades: http.upgrades,
    refuse: http.refuse,
    addressOf,
    authenticate: http.authenticate,
    roleOf: (...args) => wired.transfers.roleOf(...args),
    fail: (...args) => wired.transfers.fail(...args),
    meetAt: (...args) => wired.transfers.meetAt(...args),
    ownUrl,
    log,
  });
  new StreamUpgrades({
    streams,
    upgrades: http.upgrades,
    refuse: http.refuse,
    addressOf,
    authenticate: http.authenticate,
    isKeyValid: (key, address) => authenticator.isValid(key, address),
    hmac,
    ownUrl,
    log,
  });
  const shellUpgrades = new ShellUpgrades({
    shells: wired.shells,
    streams,
    upgrades: http.upgrades,
    refuse: http.refuse,
    addressOf,
    admit: http.admit,
    recheck: http.recheck,
    log,
  });
  authenticator.onChange(() => shellUpgrades.recheckAll());

  return {
    gateway: channel.gateway,
    async close() {
      door.close();
      await shellUpgrades.close();
      streams.close();
      await channel.close();
    },
  };
}
