import type { ManifestComponent } from '@hortus/contract/template/manifest';
import type { NodeFacts } from '../engine/cluster.ts';
import { NotOnSwarm } from './limitations.ts';

/** Where the tasks of a service may run, as the Swarm reads it. */
export interface Where {
  constraints: string[];
  spread: string | undefined;
}

type Placement = NonNullable<ManifestComponent['placement']>;

/** Checked again after the service, because these become expressions of the Swarm. */
const PLAIN = /^[A-Za-z0-9]([A-Za-z0-9._/-]{0,126}[A-Za-z0-9])?$/;

export function placementOf(component: string, { constraints = {}, spread }: Placement = {}): Where {
  const plain = (text: string): string => {
    if (PLAIN.test(text)) return text;
    throw new NotOnSwarm(`${component}: ${JSON.stringify(text)} cannot be used in placement`);
  };
  return {
    constraints: Object.entries(constraints).map(([key, value]) => `node.labels.${plain(key)}==${plain(value)}`),
    spread: spread === undefined ? undefined : `node.labels.${plain(spread)}`,
  };
}

/** Answers whether a node has the labels that a placement requires. */
export const fits = ({ constraints = {} }: Placement, { labels }: Pick<NodeFacts, 'labels'>): boolean =>
  Object.entries(constraints).every(([key, value]) => labels[key] === value);

const LABEL = 'node.labels.';

/** Reads the labels back from the constraints of a service; others, such as `node.id`, are left out. */
export const labelsIn = (constraints: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    constraints.flatMap((constraint) => {
      const end = constraint.lastIndexOf('==');
      const [key, value] = [constraint.slice(LABEL.length, end), constraint.slice(end + 2)];
      return constraint.startsWith(LABEL) && end > LABEL.length && value !== '' ? [[key, value]] : [];
    }),
  );
