import { templateFile } from '../arguments/template-files.ts';
import { command } from '../command-line/command.ts';
import { excerpt } from '../output/excerpt.ts';
import { printJson } from '../output/json.ts';
import { paint } from '../output/paint.ts';
import { safeLine } from '../output/safe-text.ts';
import { count } from '../output/words.ts';

export const templateValidate = command({
  name: 'template validate',
  summary: 'Check a template file, without a service',
  about: 'Exits with 1 if there are errors; warnings do not count.',
  args: ['file'],
  examples: [
    ['hortus template validate template.yaml', 'Prints every error with its line.'],
    ['hortus template validate catalog/blog/inkwell --json', 'A folder with a template.yaml; output as JSON.'],
  ],
  async run({ args, json, world: { terminal } }) {
    const { path, text } = await templateFile(args.file);
    const { validate } = await import('@hortus/template/validate');
    const { findings } = validate(text);
    const errors = findings.filter(({ severity }) => severity === 'error').length;
    if (json) printJson(terminal, { file: path, valid: errors === 0, findings });
    else {
      for (const finding of findings) {
        const { line, column, severity, code, message, path: place, suggestion } = finding;
        const word = paint(terminal, severity === 'error' ? 'bad' : 'warn', severity);
        const where = place === '' ? '' : ` (${place})`;
        terminal.out(`${path}:${line}:${column}: ${word} ${code}: ${safeLine(`${message}${where}`)}\n`);
        terminal.out(excerpt(terminal, text, finding));
        if (suggestion !== undefined) terminal.out(`        ${safeLine(suggestion)}\n`);
      }
      const warnings = findings.length - errors;
      terminal.out(
        findings.length === 0
          ? `${path} is valid.\n`
          : `${path}: ${count(errors, 'error', 'errors')}, ${count(warnings, 'warning', 'warnings')}.\n`,
      );
    }
    return errors === 0 ? 'ok' : 'failed';
  },
});
