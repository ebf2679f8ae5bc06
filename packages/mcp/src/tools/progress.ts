import { setTimeout as sleep } from 'node:timers/promises';
import { deploymentMachine } from '@hortus/contract/machines/deployment';
import { executionMachine } from '@hortus/contract/machines/execution';
import Type from 'typebox';
import { isId } from '../lookup.ts';
import type { Service } from '../service.ts';
import { facts, paragraphs } from '../text/bounded.ts';
import { deploymentLine } from '../text/records.ts';
import { cited, oneLine, quoted } from '../text/untrusted.ts';
import { Refusal, readTool } from '../tool.ts';

interface Progress {
  readonly text: string;
  readonly over: boolean;
}

/** Pauses between two reads; few, because each counts for the rate limit of the account. */
const PAUSES_MS = [500, 1_000, 2_000, 3_000, 5_000];
const MAX_LINES = 15;

export const showProgress = readTool({
  name: 'show_progress',
  title: 'Show progress',
  description:
    'Show how a deployment (dep_…), an execution (exe_…), an upgrade (upg_…) or a confirmation (cnf_…) is going; waits for its end for the given seconds.',
  input: Type.Object(
    {
      id: Type.String({ minLength: 1, maxLength: 128, description: 'dep_…, exe_…, upg_… or cnf_….' }),
      wait_seconds: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 25, default: 0, description: 'How long to wait for its end.' }),
      ),
    },
    { additionalProperties: false },
  ),
  async read({ service, signal, waitMs }, { id, wait_seconds = 0 }) {
    const until = Date.now() + Math.min(wait_seconds * 1_000, waitMs);
    for (let reads = 0; ; reads++) {
      const { text, over } = await progressOf(service, id);
      const left = until - Date.now();
      if (over || signal.aborted || left <= 0) return text;
      const pause = PAUSES_MS[Math.min(reads, PAUSES_MS.length - 1)] as number;
      await sleep(Math.min(pause, left), undefined, { signal }).catch(() => undefined);
    }
  },
});

function progressOf(service: Service, id: string): Promise<Progress> {
  if (isId('deployment', id)) return deployment(service, id);
  if (isId('execution', id)) return execution(service, id);
  if (isId('upgrade', id)) return upgrade(service, id);
  if (isId('confirmation', id)) return confirmation(service, id);
  throw new Refusal('id: must be the id of a deployment, an execution, an upgrade or a confirmation.');
}

async function deployment(service: Service, id: string): Promise<Progress> {
  const { data } = await service.call('deployments.read', { params: { id } });
  const failed = data.status === 'failed';
  const text = paragraphs(
    deploymentLine(data),
    quoted(
      'Log of the deployment',
      data.logs.slice(-MAX_LINES).map(({ level, step, message }) => `${level} ${step ?? ''}: ${message}`),
    ),
    data.last_lines.length > 0 && quoted('Last lines of the container that failed', data.last_lines.slice(-MAX_LINES)),
    failed && 'Next: read_logs for more, change_settings to fix it, or roll_back.',
  );
  return { text, over: deploymentMachine.final.includes(data.status) };
}

async function execution(service: Service, execution_id: string): Promise<Progress> {
  const { data } = await service.call('actions.read', { params: { execution_id } });
  const output = (data.output ?? '').trimEnd();
  const text = paragraphs(
    facts(
      `${data.id} ${data.slug}`,
      data.status,
      data.exit_code !== null && `exit code ${data.exit_code}`,
      data.error && `error ${cited(data.error)}`,
    ),
    output !== '' && quoted('Output, last lines', output.split('\n').slice(-40)),
  );
  return { text, over: executionMachine.final.includes(data.status) };
}

async function upgrade(service: Service, id: string): Promise<Progress> {
  const { data } = await service.call('upgrades.read', { params: { id } });
  const text = facts(
    `${data.id} ${oneLine(data.instance_name, 60)}: ${data.from_version} → ${data.to_version}`,
    data.status,
    data.step && `step ${data.step}`,
    data.reason,
    data.error && `error ${cited(data.error)}`,
    data.deployment_id && `deployment ${data.deployment_id}`,
  );
  return { text, over: data.status !== 'applying' };
}

async function confirmation(service: Service, id: string): Promise<Progress> {
  const { data } = await service.call('confirmations.read', { params: { id } });
  const outcome = {
    pending: `waiting for a person: ${data.url}`,
    confirmed: 'confirmed by a person, being carried out',
    done: `confirmed by a person and carried out${data.result_id ? `: ${data.result_id}` : ''}`,
    failed: `confirmed by a person, but it failed: ${oneLine(data.error ?? '')}`,
    rejected: 'rejected by a person; nothing was changed',
    expired: 'expired; nothing was changed',
  }[data.status];
  return {
    text: `${data.id} ${oneLine(data.title)}: ${outcome}`,
    over: data.status !== 'pending' && data.status !== 'confirmed',
  };
}
