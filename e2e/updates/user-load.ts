import { clientOf, type ServiceProcess } from '../service-process.ts';

/** Sessions of users and daemons at once, spread over the added replicas as a load balancer does it. */
export class UserLoad {
  readonly failures: string[] = [];
  succeeded = 0;
  readonly #replicas: ServiceProcess[] = [];
  readonly #open = new Map<ServiceProcess, number>();
  readonly #sessions: Promise<void>[] = [];
  #stopped = false;
  #number = 0;

  add(replica: ServiceProcess): void {
    this.#replicas.push(replica);
    if (this.#sessions.length === 0) for (let n = 0; n < 4; n++) this.#sessions.push(this.#sessionsOf(`user-${n}`));
  }

  /** Sends no further requests to a replica, and waits for the open ones. */
  async remove(replica: ServiceProcess): Promise<void> {
    this.#replicas.splice(this.#replicas.indexOf(replica), 1);
    while ((this.#open.get(replica) ?? 0) > 0) await new Promise((done) => setImmediate(done));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#sessions);
  }

  async #sessionsOf(name: string): Promise<void> {
    for (let number = 0; !this.#stopped && this.failures.length === 0; number++) {
      try {
        await this.#session(`${name}-${number}`);
      } catch (error) {
        this.failures.push(`${name}: ${(error as Error).message}`);
      }
    }
  }

  /** Creates, changes, deploys, reads and archives one definition on a server of its own; each request goes to the next replica. */
  async #session(uid: string): Promise<void> {
    const registered = await this.#call(({ client }) =>
      client.call('servers.register', { body: { name: uid, environment: 'staging' } }),
    );
    const { id: server_id, api_key } = registered.data;
    const asDaemon = <Result>(call: (client: ReturnType<typeof clientOf>) => Promise<Result>) =>
      this.#call(({ base }) => call(clientOf(base, api_key)));
    const body = { species: 'website', instance_uid: uid, server_id, inputs: {} };
    const { data: definition } = await this.#call(({ client }) => client.call('definitions.create', { body }));
    const params = { id: definition.id };
    await this.#call(({ client }) => client.call('definitions.update', { params, body: { name: `${uid} again` } }));
    await this.#call(({ client }) => client.call('deployments.plan', { params }));
    const order = { definition_id: definition.id };
    const { data: deployment } = await this.#call(({ client }) => client.call('deployments.execute', { body: order }));
    await asDaemon((client) => client.call('deployments.pending'));
    const success = { deployment_id: deployment.id, status: 'success' as const };
    await asDaemon((client) => client.call('deployments.report', { body: success }));
    await this.#call(({ client }) => client.call('instances.list', { query: { definition_id: definition.id } }));
    await this.#call(({ client }) => client.call('overview.read'));
    await this.#call(({ client }) => client.call('events.list', { query: { resource_id: definition.id } }));
    await this.#call(({ client }) => client.call('templates.list', { query: { per_page: 5 } }));
    await this.#call(({ client }) => client.call('definitions.archive', { params, query: { container: 'keep' } }));
  }

  async #call<Result>(call: (replica: ServiceProcess) => Promise<Result>): Promise<Result> {
    const replica = this.#replicas[this.#number++ % this.#replicas.length] as ServiceProcess;
    const count = (by: number) => this.#open.set(replica, (this.#open.get(replica) ?? 0) + by);
    count(1);
    try {
      const result = await call(replica);
      this.succeeded++;
      return result;
    } finally {
      count(-1);
    }
  }
}
