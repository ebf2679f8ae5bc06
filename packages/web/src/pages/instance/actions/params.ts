import type { ListedAction } from '@hortus/contract/resources/actions';

export type Param = ListedAction['params'][number];
/** What a person typed, by name of the param. */
export type Typed = Readonly<Record<string, string>>;
export type ParamValues = Readonly<Record<string, string | number | boolean>>;

const isNumber = ({ type }: Param) => ['number', 'integer', 'port'].includes(type);

export const defaultsOf = (params: readonly Param[]): Typed =>
  Object.fromEntries(params.map((param) => [param.name, param.default == null ? '' : String(param.default)]));

/** What is sent: numbers as numbers, and nothing for a field that was left empty. */
export const valuesOf = (params: readonly Param[], typed: Typed): ParamValues =>
  Object.fromEntries(
    params
      .filter((param) => typed[param.name] !== undefined && typed[param.name] !== '')
      .map((param) => {
        const text = typed[param.name] as string;
        if (param.type === 'boolean') return [param.name, text === 'true'];
        return [param.name, isNumber(param) ? Number(text) : text];
      }),
  );
