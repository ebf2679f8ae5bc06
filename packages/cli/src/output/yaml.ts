import { Document, visit } from 'yaml';
import type { Format } from '../world/terminal.ts';
import { escaped, isHarmful } from './safe-text.ts';

/** Repeats values instead of using anchors, which many readers refuse. */
const options = { aliasDuplicateObjects: false };

function yamlOf(value: unknown): string {
  const document = new Document(value, options);
  visit(document, {
    Scalar(_, scalar) {
      // Only texts in double quotes can have escapes.
      if (typeof scalar.value === 'string' && isHarmful(scalar.value)) scalar.type = 'QUOTE_DOUBLE';
    },
  });
  return escaped(document.toString({ lineWidth: 0 }));
}

export const yamlFormat: Format = {
  document: yamlOf,
  item: (value) => `---\n${yamlOf(value)}`,
};
