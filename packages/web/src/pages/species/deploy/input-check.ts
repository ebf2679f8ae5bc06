import type { Canonical } from '@hortus/template/canonical-form';
import { useEffect, useState } from 'react';

type Check = typeof import('@hortus/template/inputs').checkInputs;

/**
 * Checks inputs by the rules of the service. The checker brings its own matcher of patterns, so it loads after the
 * form; until then nothing is wrong.
 */
export function useInputCheck(spec: Canonical, given: object): ReadonlyMap<string, string> {
  const [check, setCheck] = useState<{ run: Check }>();
  useEffect(() => {
    let isShown = true;
    // Without it, the service finds what is wrong.
    import('@hortus/template/inputs').then(
      ({ checkInputs }) => isShown && setCheck({ run: checkInputs }),
      () => {},
    );
    return () => {
      isShown = false;
    };
  }, []);
  const result = check?.run(spec, given, { mode: 'create' });
  if (!result || result.ok) return new Map();
  return new Map(result.problems.map(({ field, message }) => [field.replace(/^inputs\./, ''), message]));
}
