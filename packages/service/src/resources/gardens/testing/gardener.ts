import type { GardenRunDetail } from '@hortus/contract/resources/garden-records';
import type { GardenApply } from '@hortus/contract/resources/gardens';
import { until } from '@hortus/testkit/until';
import type { Caller } from '../../../testing/running-service.ts';

/** Applies gardens of inkwells and reports their deployments as daemons would. */
export class Gardener {
  /** Replaced after each restart. */
  caller: Caller;
  constructor(caller: Caller) {
    this.caller = caller;
  }

  async server(name: string): Promise<string> {
    const body = { name, environment: 'staging' } as const;
    return (await this.caller.client.call('servers.register', { body })).data.id;
  }

  async plan(body: GardenApply) {
    return (await this.caller.client.call('gardens.plan', { body })).data;
  }

  /** Applies a garden by the hash of its plan. */
  async apply(body: GardenApply): Promise<GardenRunDetail> {
    const { plan_hash } = await this.plan(body);
    return (await this.caller.client.call('gardens.apply', { body: { ...body, plan_hash } })).data;
  }

  async run(id: string): Promise<GardenRunDetail> {
    return (await this.caller.client.call('gardens.run', { params: { id } })).data;
  }

  /** Applies a garden and lets every deployment succeed. */
  async applied(body: GardenApply): Promise<GardenRunDetail> {
    const { id } = await this.apply(body);
    return await this.succeeds(id);
  }

  /** Lets every deployment of a run succeed until the run has ended. */
  async succeeds(id: string): Promise<GardenRunDetail> {
    return await until(
      async () => {
        const run = await this.run(id);
        for (const { state, deployment_id } of run.changes)
          if (state === 'running' && deployment_id !== null) await this.report(deployment_id, 'success');
        return run.finished_at === null ? undefined : run;
      },
      { describe: 'the end of the run' },
    );
  }

  /** Reports the end of a deployment; a repeated report is accepted. */
  async report(id: string, status: 'success' | 'failed', error?: string): Promise<void> {
    const body = { status, ...(error !== undefined && { error }) };
    await this.caller.client.call('deployments.status', { params: { id }, body });
  }

  /** Waits until this many deployments of a run are ordered and not ended. */
  async deploying(id: string, number: number): Promise<GardenRunDetail['changes']> {
    return await until(
      async () => {
        const running = (await this.run(id)).changes.filter(({ state }) => state === 'running');
        return running.length === number ? running : undefined;
      },
      { describe: `${number} deployments` },
    );
  }

  async ended(id: string): Promise<GardenRunDetail> {
    return await until(
      async () => {
        const run = await this.run(id);
        return run.finished_at === null ? undefined : run;
      },
      { describe: 'the end of the run' },
    );
  }

  async definitions() {
    return (await this.caller.client.call('definitions.list', { query: { per_page: 100 } })).data;
  }
}

/** An inkwell of a garden. */
export const inkwell = (uid: string, server: string, more: object = {}) => ({
  [uid]: { species: 'inkwell', server, inputs: { WEB_HOSTNAME: `${uid}.example.org` }, ...more },
});
