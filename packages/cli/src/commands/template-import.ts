import { basename, dirname, resolve } from 'node:path';
import type { ComposeImport } from '@hortus/template/compose/import/import-compose';
import { filesBeside, writeTemplate } from '../arguments/template-files.ts';
import { assignment, contentOf } from '../arguments/value-options.ts';
import { command } from '../command-line/command.ts';
import { Failure } from '../failure.ts';
import { excerpt } from '../output/excerpt.ts';
import { printJson } from '../output/json.ts';
import { paint } from '../output/paint.ts';
import { safeLine } from '../output/safe-text.ts';
import { count } from '../output/words.ts';
import type { Terminal } from '../world/terminal.ts';

export const templateImport = command({
  name: 'template import',
  summary: 'Turn a Compose file into a template',
  about:
    'Prints the template and what was inferred or dropped. Variables become inputs, passwords secrets, named volumes storage, web\nports routes; access to the host becomes a permission or is refused.',
  args: ['file'],
  options: {
    name: { type: 'string', value: 'name', about: 'Name; default is that of the folder.' },
    slug: { type: 'string', value: 'slug', about: 'Species; default is derived from the name.' },
    port: {
      type: 'string',
      value: 'service=number',
      multiple: true,
      about: 'Port on which a service answers HTTP, if the file does not tell; 0 if it needs no way in.',
    },
    out: { type: 'string', value: 'folder', about: 'Write template.yaml into this folder instead of printing it.' },
    upload: { type: 'boolean', about: 'Create a draft in your account.' },
  },
  examples: [
    ['hortus template import compose.yaml --out catalog/blog/inkwell', 'Writes catalog/blog/inkwell/template.yaml.'],
    ['hortus template import compose.yaml --name Inkwell --upload', 'Makes a draft to validate and publish.'],
    ['hortus template import compose.yaml --port web=3000', 'Leads to port 3000 of the service web.'],
    ['hortus template import compose.yaml --json', 'Template, inferred and dropped, for a program.'],
  ],
  calls: ['drafts.create'],
  async run({ args, options, json, client, world: { terminal } }) {
    if (options.out !== undefined && options.upload) {
      throw new Failure('usage', '--out and --upload are two places to go to; give one.');
    }
    if (options.slug !== undefined && !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(options.slug)) {
      throw new Failure('usage', '--slug takes small letters, digits and single dashes.');
    }
    const source = await contentOf(args.file);
    const { importCompose } = await import('@hortus/template/compose/import/import-compose');
    const convert = (ports: Readonly<Record<string, number>>) =>
      importCompose(source, {
        name: options.name ?? nameOf(args.file),
        ...(options.slug === undefined ? {} : { slug: options.slug }),
        files: filesBeside(args.file),
        ports,
      });
    const input = Object.fromEntries(options.port.map(portOf));
    const first = convert(input);
    const replies = json ? {} : await repliesTo(terminal, first.questions);
    const imported = Object.keys(replies).length > 0 ? convert({ ...input, ...replies }) : first;
    const mistakes = imported.findings.filter(({ file, severity }) => file === undefined && severity === 'error');
    const { text } = imported;
    if (text === undefined || mistakes.length > 0) {
      if (json) printJson(terminal, { template: null, findings: mistakes, inferred: [], dropped: [], questions: [] });
      else printMistakes(terminal, args.file, source, mistakes);
      return 'failed';
    }
    const written = options.out === undefined ? undefined : await writeTemplate(options.out, text);
    const draft = options.upload
      ? (await (await client()).call('drafts.create', { body: { source: text } })).data
      : undefined;
    if (json) {
      const { template, findings, inferred, dropped, questions } = imported;
      printJson(terminal, {
        template,
        findings,
        inferred,
        dropped,
        questions,
        ...(written ? { written } : {}),
        ...(draft ? { draft } : {}),
      });
      return 'ok';
    }
    printNotes(terminal, args.file, imported);
    if (written !== undefined) terminal.out(`Wrote ${written}.\n`);
    else if (draft !== undefined) {
      terminal.out(`${draft.species} ${draft.version} is a draft of your account: ${draft.id}\n`);
    } else terminal.out(text);
    return 'ok';
  },
});

function portOf(text: string): [service: string, port: number] {
  const [service, value] = assignment('--port', text);
  const port = Number(value);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535 && value !== '') return [service, port];
  throw new Failure('usage', `--port takes a number up to 65535, not ${value}.`);
}

/** Asks for the ports that the file does not tell. Without a person at the terminal they stay unknown, which is told. */
async function repliesTo(
  terminal: Terminal,
  questions: ComposeImport['questions'],
): Promise<Readonly<Record<string, number>>> {
  const replies: Record<string, number> = {};
  if (!terminal.interactive) return replies;
  for (const { service, message } of questions) {
    terminal.note(`${safeLine(service)}: ${safeLine(message)}\n`);
    const said = (await terminal.ask('Port (empty if it needs no way in): ')).trim();
    replies[service] = portOf(`${service}=${said || '0'}`)[1];
  }
  return replies;
}

/** Uses the folder name, because most files are named compose.yaml. */
function nameOf(file: string): string {
  const name = basename(file).replace(/\.ya?ml$/, '');
  return /^(docker-)?compose/.test(name) ? basename(dirname(resolve(file))) : name;
}

function printMistakes(terminal: Terminal, file: string, source: string, mistakes: ComposeImport['findings']): void {
  for (const mistake of mistakes) {
    const { line, column, message } = mistake;
    terminal.note(`${file}:${line}:${column}: ${paint(terminal, 'bad', 'error')}: ${safeLine(message)}\n`);
    terminal.note(excerpt(terminal, source, mistake));
  }
  terminal.note(`${file} cannot be imported.\n`);
}

/** Prints to stderr, so that stdout contains only the template. */
function printNotes(
  terminal: Terminal,
  file: string,
  { inferred, dropped, findings, template, questions }: ComposeImport,
): void {
  const print = (word: string, { line, column, path, message }: ComposeImport['inferred'][number]) =>
    terminal.note(`${file}:${line}:${column}: ${word} ${safeLine(`${path}: ${message}`)}\n`);
  for (const note of inferred) print(paint(terminal, 'dim', 'inferred'), note);
  for (const note of dropped) {
    print(note.refused ? paint(terminal, 'bad', 'refused') : paint(terminal, 'warn', 'dropped'), note);
  }
  for (const { kind, component, value } of template?.permissions ?? []) {
    terminal.note(`needs ${paint(terminal, 'warn', kind)}${value ? ` ${safeLine(value)}` : ''} for ${component}\n`);
  }
  for (const { service, line, column, message } of questions) {
    const hint = `answer with --port ${service}=<number>`;
    terminal.note(
      `${file}:${line}:${column}: ${paint(terminal, 'warn', 'unknown')} ${safeLine(`${message} ${hint}`)}\n`,
    );
  }
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const valid = errors === 0 ? 'The template is valid' : `The template has ${count(errors, 'error', 'errors')}`;
  terminal.note(`${valid}: ${inferred.length} inferred, ${dropped.length} dropped.\n`);
}
