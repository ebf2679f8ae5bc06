import { type LookupFunction, Socket, type SocketConnectOpts } from 'node:net';
import { HostAddresses } from './host-addresses.ts';

/** Shared by all connections of the process; a setting names few servers. */
const addresses = new HostAddresses();

const lookup: LookupFunction = (name, { all }, done) => {
  addresses.of(name).then(
    (found) => (all ? done(null, found) : done(null, found[0]?.address ?? '', found[0]?.family)),
    (error) => done(error, ''),
  );
};

/** Connects to a database server whose name may be missing for a while. */
export class ServerSocket extends Socket {
  /** `pg` passes a port and a host, or the path of a local socket. */
  override connect(...args: unknown[]): this {
    const [port, host] = args;
    return typeof host === 'string'
      ? super.connect({ port: Number(port), host, lookup } satisfies SocketConnectOpts)
      : super.connect(...(args as Parameters<Socket['connect']>));
  }
}
