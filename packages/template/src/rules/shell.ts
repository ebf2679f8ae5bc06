import { stringify } from 'yaml';
import type { Canonical } from '../canonical/canonical-form.ts';
import { parseText } from '../interpolation/text.ts';
import { type Path, warning } from '../source/finding.ts';
import type { Rule } from './rule.ts';

const SHELL = /(^|\/)(ba|da|z|a|k)?sh$/;
/** Syntax and commands that need a shell. */
const SYNTAX = /[|&;<>()$`*?[\]#~!{}\\\n]|(^|\s)\w+=/;
const BUILT_IN =
  /^\s*(\.|:|cd|command|eval|exit|export|kill|read|set|source|trap|type|ulimit|umask|unset|wait|if|for|while|case|until)(\s|$)/;

const ON_ONE_LINE = { collectionStyle: 'flow', flowCollectionPadding: false, lineWidth: 0 } as const;

/** A shell around one plain command hides its signals and its exit code, and complicates quoting. */
export const shell: Rule = function* (spec) {
  for (const { argv, pathAt } of commandsOf(spec)) {
    const at = scriptIndex(argv);
    const script = argv[at];
    if (script === undefined || at !== argv.length - 1) continue;
    const words = plainWords(script);
    if (words === undefined) continue;
    yield warning(
      'needless-shell',
      pathAt(at),
      'this command needs no shell',
      `write ${stringify(words, ON_ONE_LINE).trim()}`,
    );
  }
};

/** Returns the index of the script in `sh -c <script>`; -1 if no shell is called. */
export function scriptIndex([program = '', ...rest]: readonly string[]): number {
  const flag = SHELL.test(program) ? rest.findIndex((word) => /^-\w*c$/.test(word)) : -1;
  return flag === -1 ? -1 : flag + 2;
}

interface Command {
  argv: readonly string[];
  pathAt(index: number): Path;
}

function* commandsOf(spec: Canonical): Generator<Command> {
  const commandAt = (argv: readonly string[] | undefined, path: Path): Command => ({
    argv: argv ?? [],
    pathAt: (index) => [...path, index],
  });
  for (const [name, { entrypoint = [], command = [], healthcheck }] of Object.entries(spec.components)) {
    const path = ['components', name];
    yield {
      argv: [...entrypoint, ...command],
      pathAt: (index) =>
        index < entrypoint.length ? [...path, 'entrypoint', index] : [...path, 'command', index - entrypoint.length],
    };
    yield commandAt(healthcheck?.test, [...path, 'healthcheck', 'test']);
  }
  for (const [index, { command }] of spec.actions.entries()) yield commandAt(command, ['actions', index, 'command']);
  for (const [index, { exec }] of spec.smoke.entries())
    yield commandAt(exec?.command, ['smoke', index, 'exec', 'command']);
}

/** Placeholder for a filled-in value while words are split. */
const FILLED = '\uFFFC';

/** Returns the words of a script that is one plain command; otherwise undefined. */
function plainWords(script: string): string[] | undefined {
  const { segments } = parseText(script);
  const filled = segments.filter((segment) => typeof segment === 'object');
  const bare = segments.map((segment) => (typeof segment === 'string' ? segment : FILLED)).join('');
  if (SYNTAX.test(bare) || BUILT_IN.test(bare)) return undefined;
  const words = bare.replace(/^\s*exec\s+/, '').match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g);
  const restored = () => {
    const { start = 0, end = 0 } = filled.shift() ?? {};
    return script.slice(start, end);
  };
  return words?.map((word) => word.replace(/["']/g, '').replaceAll(FILLED, restored));
}
