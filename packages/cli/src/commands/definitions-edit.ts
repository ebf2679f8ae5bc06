import { ApiProblem } from '@hortus/client/problem';
import { command } from '../command-line/command.ts';
import { printDone } from '../command-line/printing.ts';
import { findDefinition } from '../lookup/definitions.ts';

export const definitionsEdit = command({
  name: 'definitions edit',
  summary: 'Edit a definition as YAML in your editor',
  about:
    'Opens $VISUAL, $EDITOR or vi. Passwords are left out. If the service refuses the text, it opens again with the reason.\nThe running instance does not change until the next hortus deploy.',
  args: ['definition'],
  examples: [
    ['hortus definitions edit miniflux', 'Its inputs, profile, variant, backups and the rest.'],
    ['hortus definitions edit miniflux -o json', 'Prints the changed definition.'],
  ],
  calls: ['definitions.list', 'definitions.read', 'definitions.update'],
  async run(call) {
    const { args, world } = call;
    const client = await call.client();
    const definition = await findDefinition(client, args.definition);
    const { id, instance_uid, current_revision } = definition;
    const { changesIn, definitionText, TextMistake } = await import('../editing/definition-text.ts');
    const { editText } = await import('../editing/edit-text.ts');
    const changed = await editText(world, {
      name: `${instance_uid}.yaml`,
      text: definitionText(definition),
      async apply(text) {
        const body = changesIn(text, definition);
        if (body === undefined) return undefined;
        // Refused if another change came first.
        return (await client.call('definitions.update', { params: { id }, body, ifMatch: `"${current_revision}"` }))
          .data;
      },
      mistakeOf(error) {
        if (error instanceof TextMistake) return error.message;
        const isRefused = error instanceof ApiProblem && error.code === 'VALIDATION_ERROR';
        return isRefused && error.details.reason !== 'stale' ? error.message : undefined;
      },
    });
    if (changed === undefined) {
      world.terminal.note('Nothing was changed.\n');
      return 'ok';
    }
    const revision = changed.current_revision;
    return printDone(
      call,
      changed,
      revision === current_revision
        ? `${instance_uid} is changed.`
        : `Revision ${revision} of ${instance_uid} is current. Deploy it with hortus deploy --definition ${instance_uid}.`,
    );
  },
});
