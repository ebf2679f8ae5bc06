import type { Server } from '@hortus/contract/resources/server-records';

/** Labels as a person writes them: "rack=4, site=berlin". */
export const labelText = (labels: Server['labels']): string =>
  Object.entries(labels)
    .map((pair) => pair.join('='))
    .sort()
    .join(', ');

/** Reads labels that are separated by commas or spaces. */
export const labelsFrom = (text: string): Server['labels'] =>
  Object.fromEntries(
    text
      .split(/[\s,]+/)
      .filter((part) => part !== '')
      .map((part) => {
        const [key = '', ...value] = part.split('=');
        return [key, value.join('=')];
      }),
  );
