import Type, { type Static } from 'typebox';
import { Value } from 'typebox/value';
import { plainSvgProblem } from './plain-svg.ts';

/** Names of the files beside a template: the drawing, and where it comes from. */
export const LOGO_FILE = 'icon.svg';
export const LOGO_FACTS_FILE = 'icon.json';

/** Licences that allow redistribution of a logo in a catalog, if author and source are named. */
const LICENSES = [
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'CC-BY-3.0',
  'CC-BY-4.0',
  'CC-BY-SA-2.5',
  'CC-BY-SA-3.0',
  'CC-BY-SA-4.0',
  'MIT',
  'MPL-2.0',
];

const LogoFacts = Type.Object(
  {
    /** Where the drawing was published. */
    source: Type.String({ pattern: '^https://[^\\s"<>]+$', maxLength: 300 }),
    /** SPDX identifier. */
    license: Type.Enum(LICENSES),
    /** The copyright holder, as the licence wants it named. */
    author: Type.String({ minLength: 1, maxLength: 120 }),
    /** What differs from the source. */
    changes: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  },
  { additionalProperties: false },
);

export type Logo = Static<typeof LogoFacts> & { readonly svg: string };

/** Reads a logo; says why if it must not be shown. */
export function readLogo(
  svg: string | undefined,
  facts: string | undefined,
): { logo: Logo } | { problem: string } | undefined {
  if (svg === undefined && facts === undefined) return undefined;
  if (svg === undefined) return { problem: `${LOGO_FACTS_FILE} describes no ${LOGO_FILE}` };
  if (facts === undefined)
    return { problem: `${LOGO_FILE} needs ${LOGO_FACTS_FILE} with its source, license and author` };
  const read = factsFrom(facts);
  if (typeof read === 'string') return { problem: `${LOGO_FACTS_FILE} ${read}` };
  const problem = plainSvgProblem(svg);
  return problem === undefined ? { logo: { ...read, svg: svg.trim() } } : { problem: `${LOGO_FILE} ${problem}` };
}

function factsFrom(text: string): Static<typeof LogoFacts> | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'is not JSON';
  }
  if (Value.Check(LogoFacts, value)) return value;
  const [first] = Value.Errors(LogoFacts, value);
  const field = first?.instancePath.slice(1);
  if (field === 'license') return `license must be one of ${LICENSES.join(', ')}`;
  return field ? `${field} ${first?.message}` : (first?.message ?? 'is not valid');
}
