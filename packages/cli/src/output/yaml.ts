import { stringify } from 'yaml';
import type { Format } from '../terminal.ts';

/** Keeps long lines, and repeats values instead of using anchors, which many readers refuse. */
const options = { lineWidth: 0, aliasDuplicateObjects: false };

export const yamlFormat: Format = {
  document: (value) => stringify(value, options),
  item: (value) => `---\n${stringify(value, options)}`,
};
