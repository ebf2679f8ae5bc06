import { setTimeout as sleep } from 'node:timers/promises';
import type { SignedManifest } from '@hortus/contract/resources/manifest';
import type { Engine } from '../engine/engine.ts';
import { isEngineProblem } from '../engine/engine-problem.ts';
import { type ActionOutcome, failure } from '../journal/action.ts';
import { componentSpec } from '../plan/component-spec.ts';
import { label } from '../plan/labels.ts';
import { fetchImage } from '../pull/fetch-image.ts';
import type { AllowedAction } from './allowed-action.ts';
import { BoundedOutput } from './bounded-output.ts';

export const jobName = (executionId: string): string => `hortus-${executionId}`;

interface Job extends AllowedAction {
  engine: Engine;
  manifest: SignedManifest;
  executionId: string;
  name: string;
}

/**
 * Starts a temporary container like that of the component, with its volumes and network, but without ports and aliases.
 */
export async function startJob({ engine, manifest, executionId, name, action, argv }: Job): Promise<void> {
  const component = manifest.components.find((component) => component.name === action.component);
  if (component === undefined) throw new Error(`The manifest has no component ${action.component}.`);
  const { uid, server_id } = manifest.instance;
  const like = componentSpec({ ...component, kind: 'job', ports: [] }, uid);
  const { hostname: _, healthcheck: __, command: ___, ...spec } = like;
  const image = action.image ?? component.image;
  await fetchImage(image, { engine, logins: manifest.registries ?? [], renew: false });
  const id = await engine.create({
    ...spec,
    name,
    image,
    // The argv is the whole program; the image's entrypoint is not used.
    entrypoint: argv,
    env: { ...spec.env, ...action.env },
    ...(action.user === undefined ? {} : { user: action.user }),
    ...(action.working_dir === undefined ? {} : { workingDir: action.working_dir }),
    network: spec.network.kind === 'bridge' ? { ...spec.network, aliases: [] } : spec.network,
    healthcheck: 'none',
    labels: {
      [label.managed]: 'true',
      [label.server]: server_id,
      [label.instance]: uid,
      [label.component]: component.name,
      [label.kind]: 'job',
      [label.execution]: executionId,
    },
  });
  await engine.putFiles(
    id,
    component.files.map(({ mount_path, mode, content }) => ({ path: mount_path, mode, content })),
  );
  await engine.start(id);
}

/** Answers whether the container has been started; removes one that was only created. */
export async function hasStarted(engine: Engine, name: string): Promise<boolean> {
  const facts = await engine.inspect(name);
  if (facts?.state === 'created') await engine.remove(facts.id, { force: true });
  return facts !== undefined && facts.state !== 'created';
}

interface Waiting {
  engine: Engine;
  name: string;
  timeoutMs: number;
  outputLimit: number;
  /** Detaches; the container keeps running. */
  signal: AbortSignal;
}

export async function awaitJob({ engine, name, timeoutMs, outputLimit, signal }: Waiting): Promise<ActionOutcome> {
  const facts = await engine.inspect(name);
  if (facts === undefined) return failure('The container of the action is gone; the result is unknown.', 'unknown');
  const left = Math.max(0, (facts.startedAt ?? Date.now()) + timeoutMs - Date.now());
  const settled = new AbortController();
  const ended = engine.wait(name, AbortSignal.any([signal, settled.signal]));
  const late = sleep(left, 'late' as const, { signal: settled.signal }).catch(() => 'late' as const);
  let code: number | 'late';
  try {
    code = await Promise.race([ended, late]);
    if (code === 'late') await engine.kill(name, 'SIGKILL').catch(() => undefined);
  } finally {
    settled.abort();
    ended.catch(() => undefined);
  }
  const output = new BoundedOutput(outputLimit);
  try {
    output.add(Buffer.from(await engine.logs(name, { tail: 20_000 })));
  } catch (error) {
    if (!isEngineProblem(error, 'not_found')) throw error;
    return failure('The container of the action was removed while it ran, for example by a release of the instance.');
  }
  const common = { output: String(output), output_truncated: output.truncated };
  if (code === 'late') {
    const error = `The job did not finish within ${timeoutMs / 1000} s.`;
    return { status: 'failed', exit_code: 137, ...common, error, outcome: 'timeout' };
  }
  if (code === 0) return { status: 'completed', exit_code: 0, ...common, outcome: 'known' };
  return {
    status: 'failed',
    exit_code: code,
    ...common,
    error: `The job exited with code ${code}.`,
    outcome: 'known',
  };
}

export const removeJob = (engine: Engine, name: string): Promise<void> => engine.remove(name, { force: true });
