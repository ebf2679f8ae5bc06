import { playbooks } from './actions/playbooks.ts';
import { steps as stepTexts } from './actions/steps.ts';
import type { Deployment, LogLine } from './resources/deployment-records.ts';

export type StepState = 'done' | 'running' | 'failed' | 'waiting';

/** One row of the rollout: all that was done under one step. */
export interface Step {
  readonly id: string;
  readonly name: string;
  readonly state: StepState;
  /** The result in words. */
  readonly about: string;
  /** When it worked, in milliseconds since 1970. A step of several components works several times. */
  readonly spans: readonly (readonly [from: number, to: number])[];
}

/** Steps that every rollout has, in their order. */
const CERTAIN = ['pull', 'create', 'start', 'wait_healthy', 'switch'] as const;
const ORDER: readonly string[] = playbooks.replace.steps;

/** A line of a finished step ends with how long it took. */
const TOOK = / \((\d+) ms\)$/;

const nameOf = (id: string): string =>
  Object.hasOwn(stepTexts, id) ? stepTexts[id as keyof typeof stepTexts].name : id;

/** Reads the steps out of a log: what is done, what runs now or has failed, and what is certain to come. */
export function stepsOf(lines: readonly LogLine[], { status }: Pick<Deployment, 'status'>, now: number): Step[] {
  const byStep = Map.groupBy(
    lines.map((line, place) => ({ ...line, span: spanOf(line, lines[place - 1]) })).filter(({ step }) => step !== null),
    ({ step }) => step as string,
  );
  const lastError = lines.findLast(({ level, step }) => level === 'error' && step !== null);
  const failedStep = status === 'failed' ? lastError?.step : undefined;
  const current = status === 'running' ? currentStep(byStep) : undefined;
  const rows = [...byStep].map(([id, own]): Step => {
    const spans = own.map(({ span }) => span);
    const state = id === failedStep ? 'failed' : id === current ? 'running' : 'done';
    const since = spans.at(-1)?.[1] ?? now;
    return {
      ...{ id, name: nameOf(id), state },
      about: aboutOf(own),
      spans: state === 'running' ? [...spans, [since, Math.max(since, now)]] : spans,
    };
  });
  if (current !== undefined && !byStep.has(current)) {
    const since = lines.length === 0 ? now : Date.parse(lines.at(-1)?.at ?? '');
    const spans = [[since, Math.max(since, now)] as const];
    rows.push({ id: current, name: nameOf(current), state: 'running', about: textOf(current), spans });
  }
  return [...rows.sort(byStart), ...toCome(byStep, status, current)];
}

const byStart = (a: Step, b: Step): number =>
  Number(a.state === 'running') - Number(b.state === 'running') || (a.spans[0]?.[0] ?? 0) - (b.spans[0]?.[0] ?? 0);

function toCome(
  byStep: ReadonlyMap<string, unknown>,
  status: Deployment['status'],
  current: string | undefined,
): Step[] {
  if (status !== 'running' && status !== 'pending') return [];
  const place = current === undefined ? -1 : ORDER.indexOf(current);
  return CERTAIN.filter((id) => !byStep.has(id) && id !== current && ORDER.indexOf(id) > place).map((id) => ({
    ...{ id, name: nameOf(id), state: 'waiting' as const },
    about: '',
    spans: [],
  }));
}

/** Daemons report a step when it is done, so the current one is the first that some component still lacks. */
function currentStep(byStep: ReadonlyMap<string, readonly LogLine[]>): string {
  const done = (id: string) => byStep.get(id)?.filter(({ message }) => TOOK.test(message)).length ?? 0;
  const has = (id: string) => byStep.has(id);
  const created = done('create');
  if (!has('create')) return has('pull') && done('pull') > 0 ? 'create' : 'pull';
  const jobs = done('before_start_job');
  if (!has('start') && jobs === 0) return 'start';
  if (created > 0 && done('wait_healthy') + jobs >= created) return 'switch';
  return 'wait_healthy';
}

/** A line is written when its work is done. Without a duration, the work has lasted since the line before. */
function spanOf({ at, message }: LogLine, before: LogLine | undefined): readonly [number, number] {
  const to = Date.parse(at);
  const took = TOOK.exec(message)?.[1];
  return [took === undefined ? Date.parse(before?.at ?? at) : to - Number(took), to];
}

const textOf = (id: string): string =>
  Object.hasOwn(stepTexts, id) ? stepTexts[id as keyof typeof stepTexts].description : '';

function aboutOf(own: readonly LogLine[]): string {
  const last = own.at(-1)?.message.replace(TOOK, '') ?? '';
  return own.length > 1 ? `${last}, and ${own.length - 1} more` : last;
}

/** How long the spans cover together; parallel work counts once. */
export function lengthOf(spans: Step['spans']): number {
  let length = 0;
  let reached = Number.NEGATIVE_INFINITY;
  for (const [from, to] of [...spans].sort((a, b) => a[0] - b[0])) {
    length += Math.max(0, to - Math.max(from, reached));
    reached = Math.max(reached, to);
  }
  return length;
}
