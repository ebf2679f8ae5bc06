import { Failure } from '../failure.ts';

/** Reads labels such as `site=berlin`. */
export const readLabels = (input: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    input.map((text) => {
      const [, key, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
      if (key === undefined || value === undefined)
        throw new Failure('usage', `${JSON.stringify(text)} is no label.`, {
          hint: 'For example --label site=berlin.',
        });
      return [key, value] as const;
    }),
  );
