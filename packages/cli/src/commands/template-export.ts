import type { Canonical } from '@hortus/template/canonical/canonical-form';
import { isFile, templateFile } from '../arguments/template-files.ts';
import { readTemplate } from '../arguments/template-reading.ts';
import { valueOptions } from '../arguments/value-options.ts';
import { command } from '../command-line/command.ts';
import { Failure } from '../failure.ts';
import { printJson } from '../output/json.ts';
import { safeLine } from '../output/safe-text.ts';

export const templateExport = command({
  name: 'template export',
  summary: 'Write a template as a Compose file',
  about:
    'The template is a file, or a species of the service. Secrets not given with --set are generated and appear\nin the file in plain text, so keep it private.',
  args: ['template'],
  options: {
    set: { type: 'string', value: 'input=value', multiple: true, about: 'Value of an input or a secret.' },
    'set-file': {
      type: 'string',
      value: 'input=path',
      multiple: true,
      about: 'Value of an input, read from a file; - reads standard input.',
    },
    profile: {
      type: 'string',
      value: 'profile',
      about: 'minimal, development, production, or a profile of the template.',
    },
    variant: { type: 'string', value: 'variant', about: 'Image variant of the template.' },
  },
  examples: [
    [
      'hortus template export miniflux --set WEB_HOSTNAME=feeds.example.org > compose.yaml',
      'Exports a species of the service.',
    ],
    [
      'hortus template export ./template.yaml --profile production --set WEB_HOSTNAME=a.example.org',
      'Exports a file, without a service.',
    ],
  ],
  calls: ['templates.read', 'templates.list'],
  async run({ args, options, json, client, world }) {
    const { terminal } = world;
    const spec = (await isFile(args.template))
      ? await readSpec(args.template)
      : (await readTemplate(await client(), args.template)).canonical;
    const isText = (name: string) =>
      [...spec.inputs.required, ...spec.inputs.optional].some((input) => input.name === name && input.type === 'text');
    const spelt = { set: 'set', setFile: 'set-file' };
    const entered = await valueOptions(world, spelt, options.set, options['set-file'], isText);
    const isGenerated = (name: string) => Object.hasOwn(spec.secrets, name) && !spec.secrets[name]?.external;
    const { exportCompose } = await import('@hortus/template/compose/export/export-compose');
    const exported = await exportCompose(spec, {
      inputs: Object.fromEntries(Object.entries(entered).filter(([name]) => !isGenerated(name))),
      secrets: Object.fromEntries(Object.entries(entered).filter(([name]) => isGenerated(name))),
      ...(options.profile === undefined ? {} : { profile: options.profile }),
      ...(options.variant === undefined ? {} : { variant: options.variant }),
    });
    if (!exported.ok) {
      const problems = exported.problems.map(({ field, message }) => `${field} ${message}`).join('; ');
      throw new Failure('usage', `${safeLine(problems)}.`, { hint: 'Give values with --set input=value.' });
    }
    const { text, dropped, generated } = exported;
    if (json) printJson(terminal, { compose: text, dropped, generated });
    else {
      terminal.out(text);
      for (const note of dropped) terminal.note(`Compose cannot express ${safeLine(note)}.\n`);
      if (generated.length > 0) terminal.note(`Generated for this file: ${generated.join(', ')}.\n`);
    }
    return 'ok';
  },
});

async function readSpec(word: string): Promise<Canonical> {
  const { path, text } = await templateFile(word);
  const { validate } = await import('@hortus/template/validate');
  const { canonical } = await import('@hortus/template/canonical/canonical');
  const { template } = validate(text);
  if (template === undefined) {
    throw new Failure('failed', `${path} is not a valid template.`, {
      hint: `hortus template validate ${path} lists the errors.`,
    });
  }
  return canonical(template);
}
