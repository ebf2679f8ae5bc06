import { Check, Errors } from 'typebox/value';
import { oneLine } from './text/untrusted.ts';
import { Refusal, type Tool } from './tool.ts';

/** Checks arguments of a model; refuses with the name of the first wrong field. */
export function checked({ input }: Tool, args: unknown): Readonly<Record<string, unknown>> {
  const entered = args ?? {};
  if (Check(input, entered)) return entered as Readonly<Record<string, unknown>>;
  const [error] = Errors(input, entered);
  throw new Refusal(describe(error));
}

function describe(error: ReturnType<typeof Errors>[number] | undefined): string {
  if (error === undefined) return 'arguments: are not valid.';
  const path = error.instancePath.split('/').filter(Boolean);
  const { requiredProperties = [], additionalProperties = [] } = error.params as {
    requiredProperties?: string[];
    additionalProperties?: string[];
  };
  const field = (name?: string) =>
    oneLine([...path, ...(name === undefined ? [] : [name])].join('.') || 'arguments', 80);
  if (error.keyword === 'required') return `${field(requiredProperties[0])}: is required.`;
  if (error.keyword === 'additionalProperties') return `${field(additionalProperties[0])}: is not a known argument.`;
  if (error.keyword === 'boolean') return `${field()}: is not a known argument.`;
  return `${field()}: ${error.message}.`;
}
