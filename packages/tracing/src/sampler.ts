import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';

type Environment = Readonly<Record<string, string | undefined>>;

const roots: Readonly<Record<string, (ratio: number) => Sampler>> = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: (ratio) => new TraceIdRatioBasedSampler(ratio),
};

/** Reads OTEL_TRACES_SAMPLER and its argument, which the packages of the SDK leave to their caller. */
export function samplerOf({ OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG }: Environment): Sampler {
  const name = OTEL_TRACES_SAMPLER || 'parentbased_always_on';
  const root = roots[name.replace(/^parentbased_/, '')];
  const ratio = Number(OTEL_TRACES_SAMPLER_ARG || '1');
  if (!root) throw new Error(`OTEL_TRACES_SAMPLER must be one of ${samplerNames.join(', ')}`);
  if (!(ratio >= 0 && ratio <= 1)) throw new Error('OTEL_TRACES_SAMPLER_ARG must be a number between 0 and 1');
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root: root(ratio) }) : root(ratio);
}

const samplerNames = Object.keys(roots).flatMap((name) => [name, `parentbased_${name}`]);
