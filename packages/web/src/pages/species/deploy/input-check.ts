import type { Canonical } from '@hortus/template/canonical/canonical-form';
import { useEffect, useState } from 'react';

type Checker = Pick<typeof import('@hortus/template/inputs/inputs'), 'checkInputs'> &
  Pick<typeof import('@hortus/template/inputs/app-hosts'), 'missingHosts' | 'appHosts'>;

/** Where the service chooses hosts that are not given: below the domain of the server, after the uid. */
export interface HostChoice {
  readonly uid: string;
  readonly domain: string | null;
}

export interface InputCheck {
  /** What is wrong, by input. */
  readonly wrong: ReadonlyMap<string, string>;
  /** Hosts that the service chooses if they are not given, by input. */
  readonly hosts: Readonly<Record<string, string>>;
}

const NOTHING: InputCheck = { wrong: new Map(), hosts: {} };

/**
 * Checks inputs by the rules of the service. The checker brings its own matcher of patterns, so it loads after the
 * form; until then nothing is wrong.
 */
export function useInputCheck(spec: Canonical, input: object, { uid, domain }: HostChoice): InputCheck {
  const [checker, setChecker] = useState<Checker>();
  useEffect(() => {
    let isShown = true;
    // Without it, the service finds what is wrong.
    Promise.all([import('@hortus/template/inputs/inputs'), import('@hortus/template/inputs/app-hosts')]).then(
      ([{ checkInputs }, { missingHosts, appHosts }]) => isShown && setChecker({ checkInputs, missingHosts, appHosts }),
      () => {},
    );
    return () => {
      isShown = false;
    };
  }, []);
  if (!checker) return NOTHING;
  const domains = new Set(spec.inputs.required.filter(({ type }) => type === 'domain').map(({ name }) => name));
  const others = Object.fromEntries(Object.entries(input).filter(([name]) => !domains.has(name)));
  const hosts = domain === null ? {} : checker.appHosts(checker.missingHosts(spec, others), uid, domain);
  const result = checker.checkInputs(spec, { ...hosts, ...input }, { mode: 'create' });
  const problems = result.ok ? [] : result.problems;
  return { hosts, wrong: new Map(problems.map(({ field, message }) => [field.replace(/^inputs\./, ''), message])) };
}
