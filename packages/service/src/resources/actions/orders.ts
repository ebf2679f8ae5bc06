import {
  type BuiltIn,
  builtIn,
  builtInActions,
  isBuiltIn,
  isSettling,
  type Settling,
} from '@hortus/contract/actions/built-in-actions';
import type { ManifestAction } from '@hortus/contract/template/manifest';
import { traceParent } from '@hortus/tracing/span';
import { CHANNEL_TOPIC } from '../../channel/waker.ts';
import { actorOf, type Principal, requirePermission } from '../../identity/principal.ts';
import { conflict, notFound } from '../../problem.ts';
import { newId } from '../../records/ids.ts';
import { begin, transition } from '../../state/transition.ts';
import type { Queries, Storage, Tx } from '../../storage/storage.ts';
import type { Vault } from '../../vault/vault.ts';
import type { Work } from '../../workers/job.ts';
import { type BuiltInOrder, type Instances, type NamedRow, released, specOf, up } from '../instances/public.ts';
import { daemonCan, type ServerOrder } from '../servers/public.ts';
import type { Catalog } from '../templates/public.ts';
import { containerOf } from './containers.ts';
import { NEVER_STARTED_MS, setAlarm } from './deadlines.ts';
import { type Line, markNew } from './dispatch.ts';
import { executionLifecycle } from './lifecycle.ts';
import type { ManifestOf } from './manifest-of.ts';
import { type CheckedParams, FILL_ACTION, fillAction, isCostly, type Request, requestContext } from './request.ts';
import type { Results } from './results.ts';
import { type ExecutionRow, lockPendingOfInstance, noteExecution, unfinishedOfInstance } from './store.ts';

export interface OrdersDeps {
  readonly storage: Pick<Storage, 'reader'>;
  readonly vault: Vault;
  readonly catalog: Pick<Catalog, 'known'>;
  readonly instances: Pick<Instances, 'find' | 'lock'>;
  readonly manifestOf: ManifestOf;
  readonly results: Results;
  readonly work: Work;
  /** Returns the connection to the daemon of a server, if this process holds it. */
  readonly lineTo: (serverId: string) => Line | undefined;
}

/** An action of a template with validated params. */
export interface Wanted extends CheckedParams {
  readonly instanceId: string;
  readonly action: ManifestAction;
  /** Container of its component. */
  readonly container: string;
}

interface NewExecution {
  /** The id is null for actions on a server. */
  readonly instance: Pick<NamedRow, 'account_id' | 'server_id'> & { readonly id: string | null };
  readonly slug: string;
  readonly name: string;
  readonly shown: Readonly<Record<string, unknown>>;
  readonly request: Request;
  readonly timeoutMs: number;
  readonly startWithinMs: number;
  readonly actor: string | null;
}

/** Creates executions; `dispatch.ts` sends them. */
export class Orders {
  readonly #deps: OrdersDeps;
  constructor(deps: OrdersDeps) {
    this.#deps = deps;
  }

  async prepare(
    principal: Principal,
    instanceId: string,
    slug: string,
    params: Readonly<Record<string, unknown>>,
  ): Promise<Wanted> {
    const { storage, catalog, instances, manifestOf } = this.#deps;
    const instance = await instances.find(storage.reader, principal, instanceId);
    const spec = specOf(catalog, instance);
    const declared = spec.actions.find((action) => action.slug === slug);
    if (!declared) throw notFound('action');
    if (declared.dangerous) requirePermission(principal, 'actions:dangerous');
    const { account_id, definition_id } = instance;
    const { manifest } = await manifestOf(storage.reader, account_id, definition_id, runningRevision(instance));
    const action = manifest.actions.find((action) => action.slug === slug);
    if (!action) throw notFound('action');
    const container = containerOf(spec, instance, action.component);
    const { work } = this.#deps;
    const filled = isCostly(action)
      ? await work.run(FILL_ACTION, { account: account_id, field: 'params' }, action, params)
      : fillAction(action, params);
    return { instanceId, action, container, ...filled };
  }

  async execute(tx: Tx, principal: Principal, wanted: Wanted): Promise<ExecutionRow> {
    const instance = await this.#deps.instances.lock(tx, principal, wanted.instanceId);
    runningRevision(instance);
    await requireShortQueue(tx, instance.id);
    const { action, command, params, env, shown, container } = wanted;
    const row = await this.#create(tx, {
      instance,
      slug: action.slug,
      name: action.name,
      shown,
      request: {
        type: action.type,
        command,
        env,
        params,
        instance: instance.container_name,
        container,
        component: action.component,
      },
      timeoutMs: action.timeout_ms,
      startWithinMs: NEVER_STARTED_MS,
      actor: actorOf(principal),
    });
    const line = this.#deps.lineTo(row.server_id);
    if (!line || !(await markNew(tx, row, line))) this.wake(tx, row.server_id);
    return row;
  }

  /** Returns an equal pending order instead of creating another. The caller has locked the instance. */
  async order(tx: Tx, order: BuiltInOrder): Promise<ExecutionRow> {
    const waiting = await lockPendingOfInstance(tx, order.instance.id);
    const last = waiting.findLast((row) => isBuiltIn(row.slug));
    const server_id = order.serverId ?? order.instance.server_id;
    if (last?.slug !== order.slug || last.server_id !== server_id || last.params !== JSON.stringify(order.params ?? {}))
      return this.#insertInSteps(tx, order, server_id);
    // Keep the longer start deadline of the two.
    const deadline_at = Math.max(last.deadline_at, tx.now + (order.startWithinMs ?? 0));
    if (deadline_at > last.deadline_at) await noteExecution(tx, last.id, { deadline_at });
    return { ...last, deadline_at };
  }

  /**
   * A daemon that only runs Docker commands cannot stop, remove and clear volumes at once: it is sent a stop before a
   * release, and the removal of the containers before a release with volumes.
   */
  async #insertInSteps(tx: Tx, order: BuiltInOrder, serverId: string): Promise<ExecutionRow> {
    if (order.slug === builtIn.release && !(await daemonCan(tx, serverId, 'builtin')))
      for (const slug of stepsBefore(order))
        await this.#insert(tx, newExecution({ ...order, slug, params: STEP_OF_RELEASE }));
    return this.#insert(tx, newExecution(order));
  }

  /** Orders an action on a server. Equal orders are not merged. */
  orderOnServer(tx: Tx, { server, slug, params, actor }: ServerOrder): Promise<ExecutionRow> {
    return this.#insert(tx, {
      instance: { id: null, account_id: server.account_id, server_id: server.id },
      slug,
      name: builtInActions[slug].name,
      shown: params,
      request: { type: 'builtin', command: [], params, instance: '', container: '' },
      timeoutMs: builtInActions[slug].timeoutMs,
      startWithinMs: NEVER_STARTED_MS,
      actor,
    });
  }

  async done(tx: Tx, order: BuiltInOrder): Promise<ExecutionRow> {
    const row = await this.#insert(tx, newExecution(order));
    const sent = await transition(tx, executionLifecycle, row, 'send', { actor: null });
    return this.#deps.results.end(tx, sent, 'complete', { actor: order.actor, exitCode: 0 });
  }

  /** Finds the last unfinished action that sets the state of the instance. */
  async lastWanted(queries: Queries, instanceId: string): Promise<Settling | undefined> {
    const slugs = (await unfinishedOfInstance(queries, instanceId)).map(({ slug }) => slug);
    return slugs.filter(isSettling).at(-1);
  }

  async withdraw(tx: Tx, instanceId: string, slug: BuiltIn, actor: string | null): Promise<void> {
    for (const row of await lockPendingOfInstance(tx, instanceId))
      if (row.slug === slug || (slug === builtIn.release && row.params === JSON.stringify(STEP_OF_RELEASE)))
        await this.#deps.results.end(tx, row, 'cancel', { actor });
  }

  wake(tx: Tx, serverId: string): void {
    tx.notify(CHANNEL_TOPIC, serverId);
  }

  async #insert(tx: Tx, wanted: NewExecution): Promise<ExecutionRow> {
    const row = await this.#create(tx, wanted);
    this.wake(tx, row.server_id);
    return row;
  }

  async #create(tx: Tx, wanted: NewExecution): Promise<ExecutionRow> {
    const { instance, slug, name, shown, request, timeoutMs, startWithinMs, actor } = wanted;
    const id = newId('execution');
    const { account_id, server_id } = instance;
    const order: Request = { ...request, ...traced() };
    const sealed = await this.#deps.vault.encrypt(tx, account_id, JSON.stringify(order), requestContext(id));
    const deadline_at = tx.now + startWithinMs;
    const row = {
      id,
      account_id,
      instance_id: instance.id,
      server_id,
      slug,
      name,
      kind: 'ordered' as const,
      request: sealed,
      params: JSON.stringify(shown),
      exit_code: null,
      output: null,
      output_truncated: 0 as const,
      error: null,
      outcome: null,
      timeout_ms: timeoutMs,
      deadline_at,
      paused_at: null,
      sent_epoch: null,
      sent_journal: null,
      cancel_requested_at: null,
      created_by: actor,
      created_at: tx.now,
      updated_at: tx.now,
      sent_at: null,
      started_at: null,
      finished_at: null,
    };
    const execution = await begin(tx, executionLifecycle, row, 'create', actor);
    await setAlarm(tx, id, deadline_at);
    return execution;
  }
}

function traced(): Pick<Request, 'traceParent'> {
  const current = traceParent();
  return current === undefined ? {} : { traceParent: current };
}

const newExecution = ({
  instance,
  serverId,
  slug,
  params = {},
  secret,
  actor,
  startWithinMs,
}: BuiltInOrder): NewExecution => ({
  instance: { ...instance, server_id: serverId ?? instance.server_id },
  slug,
  name: builtInActions[slug].name,
  shown: params,
  request: {
    type: 'builtin',
    command: [],
    params: { ...params, ...secret },
    instance: instance.container_name,
    container: instance.container_name,
  },
  timeoutMs: builtInActions[slug].timeoutMs,
  startWithinMs: startWithinMs ?? NEVER_STARTED_MS,
  actor,
});

/** Marks a step of a release, so that withdrawing the release withdraws its steps. */
const STEP_OF_RELEASE = { step_of: builtIn.release } as const;

const stepsBefore = ({ instance, params }: BuiltInOrder): BuiltIn[] => [
  ...(up.includes(instance.status) ? [builtIn.stop] : []),
  ...(params?.remove_volumes === true ? [builtIn.remove] : []),
];

/** Actions require a deployed instance. */
function runningRevision(instance: NamedRow): number {
  if (instance.status === 'released') throw released();
  if (instance.revision === null)
    throw conflict('status', 'state', 'the instance has not been deployed yet.', { status: instance.status });
  return instance.revision;
}

/** Limit of unfinished actions per instance. Built-in actions do not count: equal ones are merged. */
export const MAX_QUEUE_LENGTH = 100;

async function requireShortQueue(tx: Tx, instanceId: string): Promise<void> {
  const used = (await unfinishedOfInstance(tx, instanceId)).length;
  if (used < MAX_QUEUE_LENGTH) return;
  throw conflict('id', 'queue_full', `${used} actions of the instance are unfinished; wait for them or cancel some.`, {
    limit: MAX_QUEUE_LENGTH,
    used,
  });
}
